package io.taskexec.dispatch.redis;

import io.lettuce.core.protocol.DecodeBufferPolicy;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.TooLongFrameException;

/**
 * Bounds what one connection holds of what a server sends. Ids and errors are short, but many of them may arrive at
 * once. What is thrown closes the connection and fails its commands.
 */
final class ShortAnswers implements DecodeBufferPolicy {
    static final int MOST_BYTES = 512 << 10;

    /** Also what was read of an unfinished answer counts: a list is kept while more and more of its parts arrive. */
    @Override
    public void afterPartialDecode(ByteBuf buffer) {
        if (buffer.writerIndex() > MOST_BYTES) {
            throw new TooLongFrameException("the answer is longer than " + MOST_BYTES + " bytes");
        }
    }

    /** So that what was read belongs to the answer that is being read, but for half of what the buffer can hold. */
    @Override
    public void afterCommandDecoded(ByteBuf buffer) {
        var _ = buffer.discardSomeReadBytes();
    }

    /** No command waits for the bytes that remain. The next answer is malformed then, which closes the connection. */
    @Override
    public void afterDecoding(ByteBuf buffer) {
        if (buffer.readableBytes() > MOST_BYTES) {
            var _ = buffer.clear();
        } else {
            var _ = buffer.discardReadBytes();
        }
    }
}
