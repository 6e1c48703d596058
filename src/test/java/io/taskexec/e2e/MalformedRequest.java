package io.taskexec.e2e;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A request that something is wrong with, as bytes. The same number gives the same request.
 *
 * @param isHttp whether it is at least HTTP, so that the API itself answers
 */
record MalformedRequest(String kind, String method, String path, boolean isHttp, Buffer head, Buffer body) {
    /** Whether less of the body is sent than was announced. */
    boolean isCutOff() {
        return kind.equals("cut off");
    }

    /** The request with this number. */
    static MalformedRequest of(long seed, int number, String key, String cronJob) {
        var random = new Random(seed * 1_000_003 + number);
        var valid = ValidRequest.ALL.get(random.nextInt(ValidRequest.ALL.size()));
        var path = valid.path().replace("{cron}", cronJob);
        var body = valid.body().replace("#", Integer.toString(number));
        return new Builder(random, key, valid.method(), path, body).malformed();
    }

    /** Makes one valid request malformed. */
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
                return sent("value", replaceValue(pick(MalformedParts.VALUES)));
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
                header = pick(MalformedParts.HEADERS);
                return sent("header", text);
            } else if (kind < 89) {
                host = pick(MalformedParts.HOSTS);
                return sent("host", text);
            } else if (kind < 90) {
                authorization = pick(MalformedParts.AUTHORIZATIONS);
                return sent("authorization", text);
            } else if (kind < 94) {
                method = pick(MalformedParts.METHODS);
                return sent("method", text);
            } else if (kind < 98) {
                path += pick(MalformedParts.PATHS);
                method = random.nextBoolean() ? "GET" : method;
                return sent("path", text);
            }
            var bytes = Buffer.buffer(pick(MalformedParts.NO_HTTP).getBytes(ISO_8859_1));
            return new MalformedRequest("no HTTP", "", "", false, bytes, Buffer.buffer());
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
            return replaceValue("\"" + pick(MalformedParts.TEXTS).replace("\"", "\\\"") + "\"");
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
            var valid = text.getBytes(UTF_8);
            return switch (random.nextInt(7)) {
                case 0 -> text.getBytes(UTF_16);
                case 1 -> insert(valid, new byte[] {(byte) 0xC0, (byte) 0x80});
                case 2 -> insert(valid, new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80});
                case 3 -> insert(valid, new byte[] {(byte) 0xFF});
                case 4 -> insert(valid, new byte[] {0});
                case 5 -> (" \uFEFF" + text).getBytes(UTF_8);
                default -> flipped(valid);
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
