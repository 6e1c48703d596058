package io.taskexec.secret;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.nio.charset.Charset;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Encodes a value in the ways in which receivers echo it. */
final class EchoedForms {
    /**
     * One of them.
     *
     * @param charset what a value may have, to be written so
     */
    record Echo(String name, UnaryOperator<String> form, Charset charset) {
        @Override
        public String toString() {
            return name;
        }
    }

    private EchoedForms() {}

    static List<Echo> all() {
        return Stream.of(
                        texts(),
                        stringsOfJson(),
                        stringsOfOtherLanguages(),
                        htmlAndXml(),
                        urls(),
                        mail(),
                        base64Forms(),
                        byteForms())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Echo> texts() {
        return List.of(
                of("as it is", s -> s),
                of("in capitals, as in a header of CGI", s -> s.toUpperCase(Locale.ROOT)),
                of("in small letters", s -> s.toLowerCase(Locale.ROOT)),
                of("folded after 8 characters, as by mail", s -> wrapped(s, 8, "\r\n ")),
                new Echo(
                        "UTF-16 that is read as UTF-8",
                        s -> s.chars().mapToObj(Character::toString).collect(Collectors.joining("\ufffd")),
                        US_ASCII),
                of("zero-width spaces", s -> joined(s, "\u200b")),
                of("soft hyphens", s -> joined(s, "\u00ad")));
    }

    private static List<Echo> stringsOfJson() {
        return List.of(
                of("JSON of Jackson", s -> json(s)),
                of("JSON of PHP", s -> php(s)),
                of("JSON of Python", s -> python(s)),
                of("JSON of .NET", s -> dotNet(s)),
                of("JSON of Gson", s -> escaped(json(s), "<>&='", "\\u%04x")),
                of("JSON of Go", s -> escaped(json(s), "<>&", "\\u%04x")),
                of("JSON of Rails", s -> escaped(json(s), "<>&\u2028", "\\u%04x")),
                of("JSON, all in \\u00xx", s -> each(s, "\\u%04x")),
                of("JSON, all in \\u00XX", s -> each(s, "\\u%04X")),
                of("JSON in JSON", s -> json(json(s))),
                of("JSON in JSON in JSON", s -> json(json(json(s)))),
                of("JSON of PHP in JSON of PHP", s -> php(php(s))),
                of("JSON of Python in JSON of Python", s -> python(python(s))),
                of("JSON of .NET in JSON of PHP", s -> php(dotNet(s))));
    }

    private static List<Echo> stringsOfOtherLanguages() {
        return List.of(
                of("JavaScript, \\u{...}", s -> points(s, "\\u{%x}")),
                of("JavaScript, \\xHH", s -> each(s, p -> p < 0x100 ? "\\x%02X" : "\\u%04X")),
                of(
                        "Python repr of a text",
                        s -> python(s).replace("\\u00", "\\x").replace("\\\"", "\"")),
                of("Python ascii of an emoji", s -> points(s, "\\U%08x")),
                of("Python repr of bytes", s -> bytes(s, b -> b < ' ' || b > '~' ? "\\x%02x" : "%c")),
                of("C, all in hexadecimal", s -> bytes(s, "\\x%02x")),
                of("C, all in octal", s -> bytes(s, "\\%03o")),
                of("git, a quoted path", s -> bytes(json(s), b -> b > '~' ? "\\%03o" : "%c")),
                of("Ruby inspect", s -> json(s).replace("#", "\\#")),
                of("Perl, \\x{...}", s -> points(s, "\\x{%x}")),
                of("Rust escape_unicode", s -> points(s, "\\u{%x}")),
                of("Go QuoteToASCII", s -> points(json(s), p -> p < 0x7f ? "%c" : p < 0x10000 ? "\\u%04x" : "\\U%08x")),
                of("Java properties", s -> properties(s)),
                of(
                        "YAML in double quotes",
                        s -> python(s).replace("\\u00", "\\x").replace("/", "\\/")),
                of("SQL", s -> s.replace("'", "''")),
                of(
                        "SQL of MySQL",
                        s -> s.replace("\\", "\\\\").replace("'", "\\'").replace("\"", "\\\"")),
                of("CSV", s -> s.replace("\"", "\"\"")),
                of("bash, printf %q", s -> s.replaceAll("[^\\w/.-]", "\\\\$0")),
                of("a shell, in single quotes", s -> s.replace("'", "'\\''")));
    }

    private static List<Echo> htmlAndXml() {
        return List.of(
                of("XML text", s -> s.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")),
                of("XML attribute", s -> xml(s)),
                of("XML, decimal", s -> points(s, "&#%d;")),
                of("XML, hexadecimal", s -> points(s, "&#x%x;")),
                of("HTML, hexadecimal capitals", s -> points(s, "&#X%X;")),
                of("HTML, decimal with zeros", s -> points(s, "&#%07d;")),
                of("HTML of PHP, htmlspecialchars", s -> xml(s).replace("&apos;", "&#039;")),
                of(
                        "HTML of PHP, htmlentities",
                        s -> xml(s).replace("ä", "&auml;").replace("Ö", "&Ouml;")),
                of("HTML, names of punctuation", s -> named(s)),
                of("HTML of OWASP", s -> owasp(s)),
                of("HTML in HTML", s -> xml(xml(s))),
                of("JSON in an HTML attribute", s -> xml(json(s))),
                of("HTML in JSON of .NET", s -> dotNet(xml(s))));
    }

    private static List<Echo> urls() {
        return List.of(
                of("URL, capitals", s -> percent(s)),
                of("URL, small letters", s -> small(percent(s))),
                of("URL, all in hexadecimal", s -> bytes(s, "%%%02X")),
                of("form", s -> URLEncoder.encode(s, UTF_8)),
                of("form, small letters", s -> small(URLEncoder.encode(s, UTF_8))),
                of("form in form", s -> URLEncoder.encode(URLEncoder.encode(s, UTF_8), UTF_8)),
                of("URL in URL", s -> percent(percent(s))),
                of("URL in URL in URL", s -> percent(percent(percent(s)))),
                of("JavaScript encodeURI", s -> encodeUri(s)),
                of("JavaScript escape", s -> escape(s)),
                of("URL in %uHHHH", s -> each(s, "%%u%04x")),
                new Echo("URL in Latin-1", s -> URLEncoder.encode(s, ISO_8859_1), ISO_8859_1),
                of("URL in JSON of PHP", s -> php(encodeUri(s))),
                of("URL in HTML", s -> named(percent(s))),
                of("JSON in a URL", s -> percent(json(s))),
                of("JSON in a form in JSON of .NET", s -> dotNet(URLEncoder.encode(json(s), UTF_8))));
    }

    private static List<Echo> mail() {
        return List.of(
                of("quoted-printable", s -> quotedPrintable(s)),
                of("quoted-printable, wrapped", s -> softly(quotedPrintable(s))),
                of(
                        "quoted-printable in JSON",
                        s -> json(softly(quotedPrintable(s))).replace("\r", "\\r")));
    }

    private static List<Echo> base64Forms() {
        return List.of(
                of("base64", s -> base64(s, UTF_8)),
                of("base64 without padding", s -> base64(s, UTF_8).replace("=", "")),
                of("base64 of URLs", s -> url64(s)),
                of("base64 of URLs without padding", s -> url64(s).replace("=", "")),
                of(
                        "base64 in lines of 76, CRLF",
                        s -> wrapped(base64("x".repeat(45) + s, UTF_8), 76, "\r\n")
                                .substring(60)),
                of("base64 in lines of 8, LF", s -> wrapped(base64(s, UTF_8), 8, "\n")),
                of("base64 in lines, in JSON", s -> json(wrapped(base64(s, UTF_8), 8, "\r\n"))),
                of("base64 in a URL", s -> percent(base64(s, UTF_8))),
                of("base64 in a form, small letters", s -> small(URLEncoder.encode(base64(s, UTF_8), UTF_8))),
                of("base64 in JSON of PHP", s -> php(base64(s, UTF_8))),
                of("base64 in JSON of .NET", s -> dotNet(base64(s, UTF_8))),
                of("base64 in HTML", s -> named(base64(s, UTF_8))),
                of("base64 in quoted-printable", s -> softly(quotedPrintable(base64(s, UTF_8)))),
                of("base64 of UTF-16, as of PowerShell", s -> base64(s, UTF_16LE)),
                of("base64 of UTF-16, big end first", s -> base64(s, UTF_16BE)));
    }

    private static List<Echo> byteForms() {
        return List.of(
                of("hexadecimal", s -> bytes(s, "%02x")),
                of("hexadecimal, capitals", s -> bytes(s, "%02X")),
                of("hexadecimal with colons", s -> HexFormat.ofDelimiter(":").formatHex(s.getBytes(UTF_8))),
                of(
                        "hexadecimal of .NET BitConverter",
                        s -> small(HexFormat.ofDelimiter("-").formatHex(s.getBytes(UTF_8)))),
                of("od -t x1, a line", s -> HexFormat.ofDelimiter(" ").formatHex(s.getBytes(UTF_8))),
                of("xxd -p, wrapped", s -> wrapped(bytes(s, "%02x"), 20, "\n")),
                of("xxd, groups of two bytes", s -> wrapped(bytes(s, "%02x"), 4, " ")),
                of("C array", s -> HexFormat.ofDelimiter(", ").withPrefix("0x").formatHex(s.getBytes(UTF_8))),
                of("bytea of PostgreSQL", s -> "\\x" + bytes(s, "%02x")),
                of("bytea of PostgreSQL in JSON", s -> "\\\\x" + bytes(s, "%02x")),
                of("hexadecimal of UTF-16", s -> HexFormat.of().formatHex(s.getBytes(UTF_16LE))),
                of("Buffer of Node in JSON", s -> numbers(s, ",", 0xff)),
                of("Java Arrays.toString", s -> numbers(s, ", ", -1)),
                of("indented Buffer of Node in JSON in JSON", s -> json(numbers(s, ",\n    ", 0xff))),
                of("list of bytes in a URL", s -> percent(numbers(s, ",", 0xff))),
                of("Python list of bytes", s -> numbers(s, ", ", 0xff)));
    }

    private static Echo of(String name, UnaryOperator<String> form) {
        return new Echo(name, form, UTF_8);
    }

    private static String json(String s) {
        return s.replace("\\", "\\\\")
                .replace("\"", "\\\"")
                .replace("\n", "\\n")
                .replace("\u0001", "\\u0001");
    }

    private static String python(String s) {
        return each(json(s), c -> c > '~' ? "\\u%04x" : "%c");
    }

    private static String php(String s) {
        return python(s).replace("/", "\\/");
    }

    private static String dotNet(String s) {
        return each(
                s.replace("\\", "\\\\").replace("\n", "\\n"),
                c -> c > '~' || "\"&'+<>`\u0001".indexOf(c) >= 0 ? "\\u%04X" : "%c");
    }

    private static String xml(String s) {
        return s.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&apos;");
    }

    private static String named(String s) {
        var names =
                List.of("&amp", "+plus", "/sol", "=equals", "%percnt", "\"quot", "<lt", "~#126", "\\bsol", ":colon");
        var named = s;
        for (var name : names) {
            named = named.replace(name.substring(0, 1), "&" + name.substring(1) + ";");
        }
        return named;
    }

    private static String owasp(String s) {
        return points(s, p -> Character.isLetterOrDigit(p) && p < 0x80 ? "%c" : "&#x%x;");
    }

    private static String percent(String s) {
        return URLEncoder.encode(s, UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace("%7E", "~");
    }

    private static String encodeUri(String s) {
        return bytes(s, b -> b > ' ' && b <= '~' && "\"%<>\\^`{|}".indexOf(b) < 0 ? "%c" : "%%%02X");
    }

    private static String quotedPrintable(String s) {
        return bytes(s, b -> b < ' ' || b > '~' || b == '=' ? "=%02X" : "%c");
    }

    /** Of escapes alone, which is what clients differ in. */
    private static String small(String s) {
        var small = new StringBuilder();
        for (var i = 0; i < s.length(); i++) {
            var isDigit = (i > 0 && s.charAt(i - 1) == '%') || (i > 1 && s.charAt(i - 2) == '%');
            small.append(isDigit ? Character.toLowerCase(s.charAt(i)) : s.charAt(i));
        }
        return small.toString();
    }

    private static String base64(String s, Charset charset) {
        return Base64.getEncoder().encodeToString(s.getBytes(charset));
    }

    private static String url64(String s) {
        return Base64.getUrlEncoder().encodeToString(s.getBytes(UTF_8));
    }

    private static String wrapped(String s, int width, String lineBreak) {
        return IntStream.range(0, Math.ceilDiv(s.length(), width))
                .mapToObj(n -> s.substring(n * width, Math.min(s.length(), (n + 1) * width)))
                .collect(Collectors.joining(lineBreak));
    }

    /** At the end of a line, an equals sign says that it goes on. */
    private static String softly(String s) {
        return s.replaceAll("(?:=..|[^=]){9}(?!$)", "$0=\r\n");
    }

    private static String properties(String s) {
        var escaped = each(s.replace("\\", "\\\\"), c -> c < ' ' || c > '~' ? "\\u%04X" : "%c");
        return escaped(escaped, ":=#! ", "\\%c");
    }

    private static String escape(String s) {
        return each(
                s,
                c -> (Character.isLetterOrDigit(c) && c < 0x80) || "@*_+-./".indexOf(c) >= 0
                        ? "%c"
                        : c < 0x100 ? "%%%02X" : "%%u%04X");
    }

    private static String numbers(String s, String separator, int mask) {
        var bytes = s.getBytes(UTF_8);
        return IntStream.range(0, bytes.length)
                .mapToObj(n -> Integer.toString(bytes[n] & mask))
                .collect(Collectors.joining(separator));
    }

    private static String joined(String s, String between) {
        return s.codePoints().mapToObj(Character::toString).collect(Collectors.joining(between));
    }

    private static String escaped(String s, String which, String format) {
        return each(s, c -> which.indexOf(c) >= 0 ? format : "%c");
    }

    private static String each(String s, String format) {
        return each(s, _ -> format);
    }

    private static String each(String s, IntFunction<String> format) {
        return s.chars().mapToObj(c -> formatted(format.apply(c), c)).collect(Collectors.joining());
    }

    private static String points(String s, String format) {
        return points(s, _ -> format);
    }

    private static String points(String s, IntFunction<String> format) {
        return s.codePoints().mapToObj(p -> formatted(format.apply(p), p)).collect(Collectors.joining());
    }

    private static String bytes(String s, String format) {
        return bytes(s, _ -> format);
    }

    private static String bytes(String s, IntFunction<String> format) {
        var bytes = s.getBytes(UTF_8);
        return IntStream.range(0, bytes.length)
                .mapToObj(n -> formatted(format.apply(bytes[n] & 0xff), bytes[n] & 0xff))
                .collect(Collectors.joining());
    }

    private static String formatted(String format, int number) {
        return format.equals("%c") ? Character.toString(number) : format.formatted(number);
    }
}
