package io.taskexec.cli.text;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/** The lines of a file one after the other, as bytes that may be no text. However long a line is, not more of it is held. */
public final class LineBytes implements AutoCloseable {
    private final InputStream in;
    private final int most;

    /** @param most how many bytes of a line are wanted */
    public LineBytes(InputStream in, int most) {
        this.in = new BufferedInputStream(in, 1 << 16);
        this.most = most;
    }

    /** A line without its end. */
    public record Line(ByteBuffer bytes, long length) {}

    /** The next one, of which there are at most so many bytes as are wanted; of length -1 when there is none. */
    public Line next() throws IOException {
        var bytes = new ByteArrayOutputStream();
        var length = 0L;
        var next = in.read();
        if (next < 0) {
            return new Line(ByteBuffer.allocate(0), -1);
        }
        for (; next >= 0 && next != '\n'; next = in.read()) {
            if (length++ < most) {
                bytes.write(next);
            }
        }
        return new Line(ByteBuffer.wrap(bytes.toByteArray()), length);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
