package io.taskexec.cli.text;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/** Reads the lines of a file as bytes, which may be invalid text. A long line does not use more memory. */
public final class LineReader implements AutoCloseable {
    private final InputStream in;
    private final int maxBytes;

    /** @param maxBytes the maximum number of bytes to keep of a line */
    public LineReader(InputStream in, int maxBytes) {
        this.in = new BufferedInputStream(in, 1 << 16);
        this.maxBytes = maxBytes;
    }

    /** A line without its line feed. */
    public record Line(ByteBuffer bytes, long length) {}

    /** Reads the next line; its length is -1 at the end of the file. */
    public Line next() throws IOException {
        var bytes = new ByteArrayOutputStream();
        var length = 0L;
        var next = in.read();
        if (next < 0) {
            return new Line(ByteBuffer.allocate(0), -1);
        }
        for (; next >= 0 && next != '\n'; next = in.read()) {
            if (length++ < maxBytes) {
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
