package io.taskexec.e2e;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;

/**
 * A request that something is wrong with, as bytes. The same number gives the same request.
 *
 * @param isHttp whether it is at least HTTP, so that the API itself answers
 */
record MalformedRequest(String kind, String method, String path, boolean isHttp, Buffer head, Buffer body) {
    private static final String HTTP =
            "\"spec\":{\"url\":\"http://127.0.0.1:9/a/{{input.a}}\",\"method\":\"POST\",\"headers\":{\"x-a\":\"{{config.a}}\"},\"body_template\":{\"a\":[\"{{secret.s}}\"]},\"timeout_ms\":1000,\"expected_status_codes\":[200,201]},\"retry_policy\":{\"max_attempts\":3,\"backoff\":\"fixed\",\"initial_delay_ms\":5,\"max_delay_ms\":10}";

    /** Valid requests: a method, a path and a body. {@code #} becomes the number. */
    private static final List<List<String>> SOUND = List.of(
            List.of(
                    "POST",
                    "/payload-specs",
                    "{\"name\":\"n#\",\"schema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"pattern\":\"^a+$\"}},\"required\":[\"a\"]}}"),
            List.of(
                    "PUT",
                    "/payload-specs/p",
                    "{\"schema\":{\"type\":\"object\",\"additionalProperties\":{\"$ref\":\"#/definitions/a\"},\"definitions\":{\"a\":{\"enum\":[1,\"a\"]}}}}"),
            List.of("POST", "/configs", "{\"name\":\"n#\",\"values\":{\"a\":\"b\",\"c\":[1,2.50,null,{\"d\":true}]}}"),
            List.of("PUT", "/configs/c", "{\"name\":\"c\",\"values\":{\"a\":\"b\"}}"),
            List.of("POST", "/secrets", "{\"name\":\"N_#\",\"value\":\"secret\"}"),
            List.of("PUT", "/secrets/s", "{\"name\":\"s\",\"value\":\"other\"}"),
            List.of(
                    "POST",
                    "/endpoints",
                    "{\"name\":\"n#\",\"type\":\"HTTP\",\"payload_spec\":\"p\",\"config\":\"c\"," + HTTP + "}"),
            List.of("PUT", "/endpoints/e", "{\"type\":\"HTTP\",\"config\":\"c\"," + HTTP + "}"),
            List.of(
                    "POST",
                    "/jobs",
                    "{\"endpoint\":\"e\",\"trigger\":\"IMMEDIATE\",\"idempotency_key\":\"k#\",\"priority\":3,\"input\":{\"a\":\"b\",\"n\":[1,{}]}}"),
            List.of(
                    "POST",
                    "/jobs",
                    "{\"endpoint\":\"e\",\"trigger\":\"DELAYED\",\"idempotency_key\":\"k#\",\"delay\":\"PT1H\"}"),
            List.of(
                    "POST",
                    "/jobs",
                    "{\"endpoint\":\"e\",\"trigger\":\"DELAYED\",\"idempotency_key\":\"k#\",\"run_at\":\"2026-12-24T18:00:00+01:00\"}"),
            List.of(
                    "POST",
                    "/jobs",
                    "{\"endpoint\":\"e\",\"trigger\":\"CRON\",\"idempotency_key\":\"k#\",\"cron\":\"*/5 9-17 * JAN-MAR"
                            + " MON\",\"timezone\":\"Europe/Berlin\",\"starts_at\":\"2027-01-01T00:00:00Z\",\"ends_at\":\"2029-01-01T00:00:00Z\"}"),
            List.of(
                    "POST",
                    "/jobs/batch",
                    "{\"jobs\":[{\"endpoint\":\"e\",\"trigger\":\"IMMEDIATE\",\"idempotency_key\":\"b#\",\"input\":1},{\"endpoint\":\"none\"}]}"),
            List.of(
                    "POST",
                    "/schedules/preview",
                    "{\"cron\":\"H 2 L,15W *"
                            + " MON#1\",\"timezone\":\"Europe/Berlin\",\"from\":\"2026-03-28T00:00:00Z\",\"ends_at\":\"2029-01-01T00:00:00Z\",\"count\":3,\"dst\":{\"gap\":\"SKIP\",\"overlap\":\"BOTH\"}}"),
            List.of("POST", "/schedules/preview", "{\"every\":\"PT1.5S\",\"starts_at\":\"2026-03-28T00:00:00Z\"}"),
            List.of("PUT", "/jobs/job_00000000000000000000000000000000", "{\"cron\":\"@daily\",\"timezone\":\"UTC\"}"),
            List.of("PUT", "/jobs/{cron}", "{\"cron\":\"0 3 * * *\",\"timezone\":\"UTC\",\"input\":{\"a\":1}}"),
            List.of("PATCH", "/jobs/job_00000000000000000000000000000000", "{\"cron\":\"@daily\"}"),
            List.of(
                    "PATCH",
                    "/jobs/{cron}",
                    "{\"cron\":\"0 3 * *"
                            + " *\",\"dst\":{\"gap\":null},\"catch_up\":{\"max\":9},\"input\":{\"a\":[1],\"b\":null}}"),
            List.of("POST", "/jobs/job_00000000000000000000000000000000/cancel", ""),
            List.of(
                    "POST",
                    "/jobs/job_00000000000000000000000000000000/pause",
                    "{\"until\":\"2030-01-01T00:00:00Z\",\"reason\":\"r\"}"),
            List.of(
                    "POST",
                    "/jobs/job_00000000000000000000000000000000/backfill",
                    "{\"from\":\"2025-01-01T00:00:00Z\",\"to\":\"2025-02-01T00:00:00Z\"}"),
            List.of(
                    "POST",
                    "/jobs",
                    "{\"endpoint\":\"e\",\"trigger\":\"INTERVAL\",\"every\":\"PT1H\",\"max_fires\":3,\"overlap\":\"SKIP\",\"jitter\":\"PT1S\",\"catch_up\":{\"mode\":\"ALL\",\"max\":9,\"window\":\"P1D\"},\"tags\":[\"a\"]}"),
            List.of(
                    "POST",
                    "/executions/bulk",
                    "{\"action\":\"retry\",\"dry_run\":true,\"rate_per_sec\":5,\"max\":9,\"filter\":{\"status\":\"FAILED\",\"error_type\":\"TIMEOUT\",\"endpoint\":\"e\",\"queue\":\"default\",\"tag\":\"a\",\"created_from\":\"2026-01-01T00:00:00Z\",\"created_before\":\"2027-01-01T00:00:00Z\",\"retried\":false}}"),
            List.of("POST", "/operations/op_00000000000000000000000000000000/cancel", ""),
            List.of("POST", "/executions/exec_00000000000000000000000000000000/cancel", ""));

    /** JSON that is rarely what is asked for. */
    private static final List<String> VALUES = List.of(
            "null",
            "true",
            "0",
            "-1",
            "1.5",
            "1e400",
            "-1e-400",
            "1e999999999",
            "1E-999999999",
            "99999999999999999999",
            "-0.0",
            "2147483648",
            "\"\"",
            "[]",
            "{}",
            "[[[]]]",
            "[null]",
            "{\"\":{}}",
            "{\"a\":{\"$ref\":\"#\"}}",
            "{\"$ref\":\"file:///etc/passwd\"}",
            "{\"__proto__\":{}}",
            "{\"type\":[\"string\",7]}",
            "\"1\"",
            "NaN",
            "Infinity",
            "'a'",
            "0x10",
            "01",
            "+1",
            ".5",
            "\"\\ud800\"",
            "\"\\udc00\\ud800\"",
            "\"\\u0000\"",
            "\"a\\u0000b\"",
            "\"\\x\"",
            "\"\\ud83d\\ude00\"",
            "{\"\\u0000\":1}",
            "{\"\\udfff\":1}",
            "{\"a\":1,\"a\":2}",
            "undefined",
            "\"\t\"");

    private static final List<String> TEXTS = List.of(
            "'; DROP TABLE jobs; --",
            "' OR '1'='1",
            "1; SELECT pg_sleep(30)--",
            "$1",
            "%s%n%x",
            "\\\\",
            "{{",
            "}}",
            "{{}}",
            "{{input}}",
            "{{input.}}",
            "{{secret.s}}",
            "{{secret.none}}",
            "{{config.a}}",
            "{{config.none.b.c}}",
            "{{env.HOME}}",
            "{{ input.a | safe }}",
            "{{{{input.a}}}}",
            "{{input.{{secret.s}}}}",
            "${jndi:ldap://127.0.0.1/a}",
            "${7*7}",
            "#{7*7}",
            "<%= 7*7 %>",
            "<script>alert(1)</script>",
            "../../etc/passwd",
            "a\\r\\nX-Injected: 1",
            "\u202Eabc",
            "\u0130",
            "\uFEFFa",
            "\uD83D\uDE00",
            "a/b",
            "~0~1",
            "*",
            "* * * * * *",
            "@every",
            "@reboot",
            "60 * * * *",
            "0 0 30 2 *",
            "H H(0-99) * * *",
            "0-59/0 * * * *",
            "*/999999999999 * * * *",
            "1-2-3 * * * *",
            "L L L L L",
            "0 0 LW * *",
            "0 0 * * 8#9",
            "Mars/Olympus",
            "UTC+99",
            "GMT+25:00",
            "PT-1S",
            "P99999999999D",
            "PT9223372036854775807S",
            "PT1H1H",
            "-999999999-01-01T00:00:00Z",
            "+999999999-12-31T23:59:59Z",
            "2026-02-30T00:00:00Z",
            "2026-01-01",
            "http://",
            "http://[::1",
            "http://a b/",
            "http://{{input.host}}/",
            "gopher://127.0.0.1/",
            "http://user:pw@127.0.0.1/",
            "http://127.0.0.1:99999/",
            "http://%00/",
            "//a",
            "javascript:1",
            "(a+)+$",
            "(?<=a)b",
            "[a-",
            "\\\\1",
            "a{99999999}",
            "(((((((((((a*)*)*)*)*)*)*)*)*)*)*");

    private static final List<String> HEADERS = List.of(
            "Content-Type: text/plain",
            "Content-Type: application/x-www-form-urlencoded",
            "Content-Type: multipart/form-data",
            "Content-Type: multipart/form-data; boundary=a",
            "Content-Type: application/json; charset=utf-16",
            "Content-Type: nonsense",
            "Content-Type: ;;;",
            "Content-Type: application/json; charset=klingon",
            "Content-Type:",
            "Accept: text/plain",
            "Accept: image/png",
            "Accept: */*;q=0",
            "Accept: nonsense",
            "Accept: ;",
            "Accept: application/json;q=abc",
            "Accept-Encoding: gzip;q=x, nonsense",
            "Accept-Language: \u00ff\u00fe",
            "Accept-Charset: klingon",
            "Content-Encoding: gzip",
            "Content-Encoding: nonsense",
            "Idempotency-Key: ",
            "Idempotency-Key: other",
            "Idempotency-Key: \u00e4\u00ff",
            "Idempotency-Key: " + "k".repeat(300),
            "Idempotency-Key: a\r\nIdempotency-Key: b",
            "X-Request-Id: " + "r".repeat(200),
            "X-Request-Id: a b",
            "X-Request-Id: <x>",
            "X-Request-Id: \u00ff",
            "X-HTTP-Method-Override: DELETE",
            "X-Forwarded-For: nonsense",
            "Forwarded: for=;;",
            "Range: bytes=0-",
            "If-Match: \"",
            "If-None-Match: *",
            "If-Modified-Since: yesterday",
            "Expect: 200-maybe",
            "Cookie: a=b; ;;=",
            "Origin: null",
            "Authorization: Bearer a\r\nX-A: b",
            "Upgrade: nonsense",
            "Connection: upgrade",
            "Sec-WebSocket-Key: a",
            "Traceparent: nonsense",
            "X-Long: " + "x".repeat(8000));

    private static final List<String> AUTHORIZATIONS = List.of(
            "",
            "Bearer",
            "Bearer ",
            "Basic YTpi",
            "Bearer ' OR 1=1 --",
            "bearer \u00ff\u00fe",
            "Bearer " + "k".repeat(5000),
            "Digest a",
            "Bearer a b");

    /** A well-formed place in a list after a name that has a NUL. */
    private static final String NUL_CURSOR =
            Base64.getUrlEncoder().encodeToString("2026-01-01T00:00:00Z a\0b".getBytes(UTF_8));

    private static final List<String> METHODS = List.of(
            "PATCH",
            "TRACE",
            "OPTIONS",
            "PROPFIND",
            "post",
            "BREW",
            "DELETE",
            "GET",
            "HEAD",
            "LINK",
            "PURGE",
            "M-SEARCH");

    private static final List<String> PATHS = List.of(
            "/%00",
            "/%ff",
            "/%c0%80",
            "/%2e%2e/%2e%2e",
            "/../jobs",
            "/;a=b",
            "//",
            "/%20",
            "/'%20OR%20'1'='1",
            "/%7B%7Binput%7D%7D",
            "?limit=abc",
            "?limit=%00",
            "?cursor=%00",
            "?cursor=%ff",
            "?limit=1&limit=2",
            "?a[]=b",
            "?force=maybe",
            "?=",
            "%00",
            "?endpoint=a%00",
            "?cursor=" + NUL_CURSOR,
            "/" + "a".repeat(3000),
            "/%F0%9F%98%80");

    /** What the router itself refuses, or passes on. */
    private static final List<String> HOSTS =
            List.of("", "Host:\r\n", "Host: a b/..\r\n", "Host: [::1\r\n", "Host: a:b\r\n", "Host: \u00ff\r\n");

    private static final String UPGRADE = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n";

    /** What is no HTTP; the server closes such a connection. */
    private static final List<String> NO_HTTP = List.of(
            "GET\r\n\r\n",
            "\0\0\0\0\r\n\r\n",
            "POST /jobs HTTP/9.9\r\n\r\n",
            "POST /jobs HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            "POST /jobs HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
            "POST /jobs HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            "POST /jobs HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "POST /jobs HTTP/1.1\r\nHost: a\r\nA B: c\r\n\r\n",
            "POST /jobs HTTP/1.1\r\nHost: a\r\nA\0: c\r\n\r\n",
            "P\u00ffST /jobs HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /" + "a".repeat(9000) + " HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /jobs HTTP/1.1\r\nHost: a\r\nX: " + "x".repeat(20_000) + "\r\n\r\n",
            "GET http://[::1 HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /{{secret.s}} HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n",
            "{\"json\":true}\r\n\r\n",
            "POST /jobs HTTP/1.1\r\nHost: a\r\nIdempotency-Key: a\0b\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\ngarbage, which is no frame",
            "PRI *"
                    + " HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0\0\0\u0005\u0001\u0005\0\0\0\u0001\u00ff\u00ff\u00ff\u00ff\u00ff",
            "PRI * HTTP/2.0\r\n\r\nSM",
            "GET /jobs HTTP/1.1\r\nHost: a\r\n" + UPGRADE + "HTTP2-Settings: !!!\r\n\r\n",
            "GET /jobs HTTP/1.1\r\nHost: a\r\n" + UPGRADE + "\r\n",
            "GET /jobs HTTP/1.1\r\nHost: a\r\n" + UPGRADE + "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n\r\ngarbage",
            "\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n");

    /** Whether less of the body is sent than was announced. */
    boolean isCutOff() {
        return kind.equals("cut off");
    }

    /** The request with this number. */
    static MalformedRequest of(long seed, int number, String key, String cronJob) {
        var random = new Random(seed * 1_000_003 + number);
        var sound = SOUND.get(random.nextInt(SOUND.size()));
        var build = new Builder(
                random,
                key,
                sound.get(0),
                sound.get(1).replace("{cron}", cronJob),
                sound.get(2).replace("#", Integer.toString(number)));
        return build.malformed();
    }

    /** Makes one sound request malformed. */
    private static final class Builder {
        private final Random random;
        private String method;
        private String path;
        private String text;
        private String authorization;
        private String host = "Host: localhost\r\n";
        private String header = "Content-Type: application/json";

        Builder(Random random, String key, String method, String path, String text) {
            this.random = random;
            this.method = method;
            this.path = path;
            this.text = text;
            this.authorization = "Bearer " + key;
        }

        MalformedRequest malformed() {
            var kind = random.nextInt(100);
            if (kind < 30) {
                return sent("value", replaceValue(pick(VALUES)));
            } else if (kind < 50) {
                return sent("text", replaceText());
            } else if (kind < 56) {
                return sent("field", field());
            } else if (kind < 62) {
                return sent("deep", deep());
            } else if (kind < 63) {
                return sent("huge", huge());
            } else if (kind < 75) {
                return finished("bytes", bytes(), "");
            } else if (kind < 80) {
                return sent("truncated", text.substring(0, text.isEmpty() ? 0 : random.nextInt(text.length())));
            } else if (kind < 81) {
                return finished("cut off", text.getBytes(UTF_8), "more");
            } else if (kind < 88) {
                header = pick(HEADERS);
                return sent("header", text);
            } else if (kind < 89) {
                host = pick(HOSTS);
                return sent("host", text);
            } else if (kind < 90) {
                authorization = pick(AUTHORIZATIONS);
                return sent("authorization", text);
            } else if (kind < 94) {
                method = pick(METHODS);
                return sent("method", text);
            } else if (kind < 98) {
                path += pick(PATHS);
                method = random.nextBoolean() ? "GET" : method;
                return sent("path", text);
            }
            return new MalformedRequest(
                    "no HTTP", "", "", false, Buffer.buffer(pick(NO_HTTP).getBytes(ISO_8859_1)), Buffer.buffer());
        }

        private String pick(List<String> list) {
            return list.get(random.nextInt(list.size()));
        }

        /** Puts JSON in place of one of the values. */
        private String replaceValue(String value) {
            var begins = new ArrayList<Integer>();
            for (var at = 0; at < text.length(); at++) {
                if ((text.charAt(at) == ':' || text.charAt(at) == '[') && isOutsideText(at)) {
                    begins.add(at + 1);
                }
            }
            if (begins.isEmpty() || random.nextInt(20) == 0) {
                return value;
            }
            var begin = begins.get(random.nextInt(begins.size()));
            return text.substring(0, begin) + value + text.substring(end(begin));
        }

        private boolean isOutsideText(int at) {
            return text.substring(0, at).chars().filter(c -> c == '"').count() % 2 == 0;
        }

        /** Where the value ends that begins here. */
        private int end(int begin) {
            var depth = 0;
            for (var at = begin; at < text.length(); at++) {
                var c = text.charAt(at);
                if (!isOutsideText(at) || c == '"') {
                    continue;
                }
                if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
                    return at;
                }
                depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
            }
            return text.length();
        }

        private String replaceText() {
            return replaceValue("\"" + pick(TEXTS).replace("\"", "\\\"") + "\"");
        }

        private String field() {
            return switch (random.nextInt(4)) {
                case 0 -> text.replaceFirst("\\{", "{\"unknown\":1,");
                case 1 -> text.replaceFirst("\\{(\"[a-z_]+\":)", "{$1 1,$1");
                case 2 -> text.replaceFirst("\"[a-z_]+\":(\"[^\"]*\"|\\d+),", "");
                default -> text.replaceFirst("\"([a-z]+)\":", "\"$1\u0000\":");
            };
        }

        private String deep() {
            var levels = List.of(62, 63, 64, 65, 66, 100, 1000, 20_000).get(random.nextInt(8));
            return random.nextBoolean()
                    ? replaceValue("[".repeat(levels) + "]".repeat(levels))
                    : replaceValue("{\"a\":".repeat(levels) + "1" + "}".repeat(levels));
        }

        private String huge() {
            return switch (random.nextInt(4)) {
                case 0 -> replaceValue("\"" + "x".repeat(900_000) + "\"");
                case 1 -> replaceValue("\"" + "x".repeat(1_100_000) + "\"");
                case 2 -> replaceValue("[" + "1,".repeat(100_000) + "1]");
                default -> replaceValue("9".repeat(100_000));
            };
        }

        private byte[] bytes() {
            var sound = text.getBytes(UTF_8);
            return switch (random.nextInt(7)) {
                case 0 -> text.getBytes(UTF_16);
                case 1 -> insert(sound, new byte[] {(byte) 0xC0, (byte) 0x80});
                case 2 -> insert(sound, new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80});
                case 3 -> insert(sound, new byte[] {(byte) 0xFF});
                case 4 -> insert(sound, new byte[] {0});
                case 5 -> (" \uFEFF" + text).getBytes(UTF_8);
                default -> flipped(sound);
            };
        }

        private byte[] insert(byte[] into, byte[] bytes) {
            var at = into.length == 0 ? 0 : random.nextInt(into.length);
            var out = new ByteArrayOutputStream();
            out.write(into, 0, at);
            out.writeBytes(bytes);
            out.write(into, at, into.length - at);
            return out.toByteArray();
        }

        private byte[] flipped(byte[] bytes) {
            for (var n = bytes.length == 0 ? 0 : 1 + random.nextInt(3); n > 0; n--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            return bytes;
        }

        private MalformedRequest sent(String kind, String body) {
            return finished(kind, body.getBytes(UTF_8), "");
        }

        private MalformedRequest finished(String kind, byte[] body, String announced) {
            var chunked = announced.isEmpty() && random.nextInt(10) == 0;
            var length =
                    chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + (body.length + announced.length());
            var head = method + " " + path + " HTTP/1.1\r\n" + host
                    + (authorization.isEmpty() ? "" : "Authorization: " + authorization + "\r\n") + header + "\r\n"
                    + length + "\r\n\r\n";
            return new MalformedRequest(
                    kind,
                    method,
                    path,
                    true,
                    Buffer.buffer(head.getBytes(ISO_8859_1)),
                    Buffer.buffer(chunked ? chunked(body) : body));
        }

        private static byte[] chunked(byte[] body) {
            var out = new ByteArrayOutputStream();
            for (var at = 0; at < body.length; at += 1000) {
                var part = Arrays.copyOfRange(body, at, Math.min(at + 1000, body.length));
                out.writeBytes((Integer.toHexString(part.length) + "\r\n").getBytes(US_ASCII));
                out.writeBytes(part);
                out.writeBytes("\r\n".getBytes(US_ASCII));
            }
            out.writeBytes("0\r\n\r\n".getBytes(US_ASCII));
            return out.toByteArray();
        }
    }

    /** As much of it as a report needs. */
    @Override
    public String toString() {
        return kind + ":\n" + start(head) + start(body);
    }

    private static String start(Buffer bytes) {
        return bytes.getString(0, Math.min(bytes.length(), 1500), ISO_8859_1.name());
    }
}
