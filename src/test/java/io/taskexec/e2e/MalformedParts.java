package io.taskexec.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Base64;
import java.util.List;

/** Lists the parts that make a request malformed. */
final class MalformedParts {
    private MalformedParts() {}

    /** JSON that is rarely what is asked for. */
    static final List<String> VALUES = """
            null
            true
            0
            -1
            1.5
            1e400
            -1e-400
            1e999999999
            1E-999999999
            1e99999999999
            1e-2147483648
            99999999999999999999
            -0.0
            2147483648
            ""
            []
            {}
            [[[]]]
            [null]
            {"":{}}
            {"a":{"$ref":"#"}}
            {"$ref":"file:///etc/passwd"}
            {"__proto__":{}}
            {"type":["string",7]}
            "1"
            NaN
            Infinity
            'a'
            0x10
            01
            +1
            .5
            "\\ud800"
            "\\udc00\\ud800"
            "\\u0000"
            "a\\u0000b"
            "\\x"
            "\\ud83d\\ude00"
            {"\\u0000":1}
            {"\\udfff":1}
            {"a":1,"a":2}
            undefined
            "\t"
            """.lines().toList();

    static final List<String> TEXTS = List.of(
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

    static final List<String> HEADERS = List.of(
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

    static final List<String> AUTHORIZATIONS = List.of(
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

    static final List<String> METHODS = List.of(
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

    static final List<String> PATHS = List.of(
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
    static final List<String> HOSTS =
            List.of("", "Host:\r\n", "Host: a b/..\r\n", "Host: [::1\r\n", "Host: a:b\r\n", "Host: \u00ff\r\n");

    private static final String UPGRADE = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n";

    /** What is no HTTP; the server closes such a connection. */
    static final List<String> NO_HTTP = List.of(
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
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\0\0\0\u0004\0\0\0\0\0"
                    + "\0\0\u0005\u0001\u0005\0\0\0\u0001\u00ff\u00ff\u00ff\u00ff\u00ff",
            "PRI * HTTP/2.0\r\n\r\nSM",
            "GET /jobs HTTP/1.1\r\nHost: a\r\n" + UPGRADE + "HTTP2-Settings: !!!\r\n\r\n",
            "GET /jobs HTTP/1.1\r\nHost: a\r\n" + UPGRADE + "\r\n",
            "GET /jobs HTTP/1.1\r\nHost: a\r\n" + UPGRADE + "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n\r\ngarbage",
            "\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n");
}
