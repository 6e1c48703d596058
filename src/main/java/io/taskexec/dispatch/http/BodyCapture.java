package io.taskexec.dispatch.http;

import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Keeps the beginning of a body. Used by one thread at a time. */
final class BodyCapture {
    /** The most bytes of an answer that are kept. */
    static final int LIMIT = 64 * 1024;

    private Buffer kept = Buffer.buffer();
    private boolean truncated;

    /** Adds the next part; what is over the limit is dropped. */
    void add(Buffer part) {
        var room = LIMIT - kept.length();
        truncated |= part.length() > room;
        if (kept.length() == 0 && !truncated) {
            // A copy already, which belongs to us.
            kept = part;
            return;
        }
        kept.appendBuffer(part, 0, Math.min(room, part.length()));
    }

    /** Whether there was more than is kept. */
    boolean isTruncated() {
        return truncated;
    }

    /**
     * The kept bytes as text that any database can store: malformed UTF-8 and NUL, which PostgreSQL's jsonb refuses,
     * become U+FFFD. A character that the limit has cut in two is left out.
     */
    String text() {
        return (truncated ? wholeCharacters() : kept.toString(StandardCharsets.UTF_8)).replace('\0', '\ufffd');
    }

    private String wholeCharacters() {
        var decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE);
        // UTF-8 never decodes to more characters than it has bytes.
        var text = CharBuffer.allocate(kept.length());
        decoder.decode(ByteBuffer.wrap(kept.getBytes()), text, false);
        return text.flip().toString();
    }
}
