package io.taskexec.cli.convert;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A call of one URL by curl or wget. */
final class CurlCommand {
    private static final Set<String> PROGRAMS = Set.of("curl", "wget");

    private static final Map<String, String> LETTERS_OF_CURL = Map.ofEntries(
            Map.entry("-4", "--ipv4"),
            Map.entry("-6", "--ipv6"),
            Map.entry("-A", "--user-agent"),
            Map.entry("-H", "--header"),
            Map.entry("-I", "--head"),
            Map.entry("-L", "--location"),
            Map.entry("-N", "--no-buffer"),
            Map.entry("-O", "--remote-name"),
            Map.entry("-S", "--show-error"),
            Map.entry("-X", "--request"),
            Map.entry("-b", "--cookie"),
            Map.entry("-d", "--data"),
            Map.entry("-e", "--referer"),
            Map.entry("-f", "--fail"),
            Map.entry("-i", "--include"),
            Map.entry("-k", "--insecure"),
            Map.entry("-m", "--max-time"),
            Map.entry("-o", "--output"),
            Map.entry("-s", "--silent"),
            Map.entry("-u", "--user"),
            Map.entry("-v", "--verbose"),
            Map.entry("-w", "--write-out"));
    private static final Map<String, String> LETTERS_OF_WGET = Map.ofEntries(
            Map.entry("-4", "--ipv4"),
            Map.entry("-6", "--ipv6"),
            Map.entry("-O", "--output-document"),
            Map.entry("-S", "--server-response"),
            Map.entry("-T", "--timeout"),
            Map.entry("-U", "--user-agent"),
            Map.entry("-a", "--append-output"),
            Map.entry("-nv", "--no-verbose"),
            Map.entry("-o", "--output-file"),
            Map.entry("-q", "--quiet"),
            Map.entry("-t", "--tries"),
            Map.entry("-v", "--verbose"));

    /** They change what is printed, or how the program waits, and nothing of the request. */
    private static final Set<String> WITHOUT_EFFECT = Set.of(
            "--compressed",
            "--fail",
            "--fail-with-body",
            "--globoff",
            "--http1.1",
            "--http2",
            "--include",
            "--ipv4",
            "--ipv6",
            "--no-buffer",
            "--no-cache",
            "--no-progress-meter",
            "--no-verbose",
            "--quiet",
            "--remote-name",
            "--retry-all-errors",
            "--retry-connrefused",
            "--server-response",
            "--show-error",
            "--silent",
            "--verbose");

    private static final Set<String> WITH_VALUE_WITHOUT_EFFECT = Set.of(
            "--append-output",
            "--connect-timeout",
            "--output",
            "--output-document",
            "--output-file",
            "--retry-delay",
            "--retry-max-time",
            "--stderr",
            "--waitretry",
            "--write-out");
    private static final Set<String> DATA =
            Set.of("--data", "--data-raw", "--data-binary", "--data-ascii", "--json", "--post-data", "--body-data");

    /** Those that set a part of the request or the call. */
    private static final Set<String> SETTINGS = Set.of(
            "--cookie",
            "--header",
            "--http-password",
            "--http-user",
            "--max-time",
            "--method",
            "--oauth2-bearer",
            "--referer",
            "--request",
            "--retry",
            "--timeout",
            "--tries",
            "--url",
            "--user",
            "--user-agent");

    private final boolean isWget;
    private final String standardInput;
    private final List<String> urls = new ArrayList<>();
    private final List<String> headers = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private @Nullable String method;
    private @Nullable String body;
    private boolean hasUser;
    private boolean isJson;
    private boolean isPlain = true;
    private int retries;
    private long timeoutMs;

    private CurlCommand(boolean isWget, String standardInput) {
        this.isWget = isWget;
        this.standardInput = standardInput;
    }

    /** Returns null when the words are anything else, or have an option that has no equivalent. */
    static @Nullable CurlCommand parse(ShellWords words, String standardInput) {
        var all = words.words();
        var program = all.isEmpty() ? "" : all.getFirst().replaceFirst(".*/", "");
        if (!words.isPlain() || !PROGRAMS.contains(program)) {
            return null;
        }
        var call = new CurlCommand(program.equals("wget"), standardInput);
        var rest = call.split(all.subList(1, all.size())).iterator();
        while (rest.hasNext() && call.isPlain) {
            call.take(rest.next(), rest);
        }
        return call.isPlain && call.urls.size() == 1 ? call : null;
    }

    /** Replaces letters by the names of options, also those that stand together with a value as in {@code -fsSm10}. */
    private List<String> split(List<String> words) {
        var split = new ArrayList<String>();
        for (var word : words) {
            if (word.startsWith("--") && word.contains("=")) {
                split.add(word.substring(0, word.indexOf('=')));
                split.add(word.substring(word.indexOf('=') + 1));
            } else if (letters().containsKey(word)) {
                split.add(letters().getOrDefault(word, word));
            } else if (word.matches("-[A-Za-z0-9].+")) {
                splitLetters(word, split);
            } else {
                split.add(word);
            }
        }
        return split;
    }

    private Map<String, String> letters() {
        return isWget ? LETTERS_OF_WGET : LETTERS_OF_CURL;
    }

    private void splitLetters(String word, List<String> split) {
        for (var i = 1; i < word.length(); i++) {
            var letter = "-" + word.charAt(i);
            var option = letters().getOrDefault(letter, letter);
            split.add(option);
            if (takesValue(option) && i + 1 < word.length()) {
                split.add(word.substring(i + 1));
                return;
            }
        }
    }

    private static boolean takesValue(String option) {
        return WITH_VALUE_WITHOUT_EFFECT.contains(option) || DATA.contains(option) || SETTINGS.contains(option);
    }

    private void take(String word, Iterator<String> rest) {
        if (!word.startsWith("-")) {
            urls.add(word.contains("://") ? word : "http://" + word);
        } else if (WITH_VALUE_WITHOUT_EFFECT.contains(word)) {
            var _ = value(rest);
        } else if (word.equals("--location")) {
            remarks.add("Redirects are not followed.");
        } else if (word.equals("--insecure") || word.equals("--no-check-certificate")) {
            remarks.add("Certificates are always verified: name the authority with tls.ca_certificates.");
        } else if (word.equals("--head") || word.equals("--spider")) {
            method = "HEAD";
        } else if (DATA.contains(word)) {
            data(value(rest), word);
        } else if (SETTINGS.contains(word)) {
            takeSetting(word, value(rest));
        } else {
            isPlain &= WITHOUT_EFFECT.contains(word);
        }
    }

    private void takeSetting(String option, String value) {
        switch (option) {
            case "--request", "--method" -> method = value.toUpperCase(Locale.ROOT);
            case "--header" -> headers.add(value);
            case "--user-agent" -> headers.add("User-Agent: " + value);
            case "--referer" -> headers.add("Referer: " + value);
            case "--cookie" -> headers.add("Cookie: " + value);
            case "--oauth2-bearer" -> headers.add("Authorization: Bearer " + value);
            case "--max-time", "--timeout" -> timeout(value);
            case "--retry" -> retries = number(value);
            case "--tries" -> retries = number(value) - 1;
            case "--url" -> urls.add(value);
            default -> hasUser = true;
        }
    }

    private void timeout(String seconds) {
        try {
            timeoutMs = Math.clamp(Math.round(Double.parseDouble(seconds) * 1000), 1, 3_600_000);
        } catch (NumberFormatException _) {
            isPlain = false;
        }
    }

    private int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException _) {
            isPlain = false;
            return 0;
        }
    }

    private String value(Iterator<String> rest) {
        isPlain &= rest.hasNext();
        return rest.hasNext() ? rest.next() : "";
    }

    private void data(String text, String option) {
        isJson |= option.equals("--json");
        var isFile = text.startsWith("@") && !option.equals("--data-raw") && !isWget;
        isPlain &= !isFile || text.equals("@-");
        var added = isFile ? standardInput.strip() : text;
        body = body == null ? added : body + "&" + added;
    }

    /** Sets the endpoint of a draft. */
    void into(Draft draft) throws NoEquivalentException {
        remarks.stream().distinct().forEach(draft::remark);
        var request = new HttpRequestDraft(draft);
        request.url(urls.getFirst());
        request.method(method != null ? method : body == null ? "GET" : "POST");
        for (var header : headers) {
            var colon = header.indexOf(':');
            if (colon > 0 && colon + 1 < header.length() && !isContentType(header)) {
                request.header(
                        header.substring(0, colon), header.substring(colon + 1).strip());
            }
        }
        if (hasUser) {
            request.basicAuthorization();
        }
        request.body(body);
        if (isJson || headers.stream().anyMatch(CurlCommand::isContentType) || body == null) {
            headers.stream()
                    .filter(CurlCommand::isContentType)
                    .map(header -> header.substring(header.indexOf(':') + 1).strip())
                    .filter(type -> !type.equals("application/json"))
                    .forEach(type -> request.header("Content-Type", type));
        } else {
            draft.remark("The body is sent as application/json: curl calls it a form.");
        }
        if (timeoutMs > 0) {
            request.timeout(timeoutMs);
        }
        if (retries > 0) {
            HttpRequestDraft.attempts(draft, retries + 1);
        }
        request.finish();
    }

    private static boolean isContentType(String header) {
        return header.toLowerCase(Locale.ROOT).startsWith("content-type:");
    }
}
