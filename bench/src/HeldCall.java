import java.io.IOException;

/** A call that the receiver has begun and not ended yet. */
final class HeldCall implements Comparable<HeldCall> {
    private final ReceiverConnection connection;
    private final Reception reception;
    private final Reply reply;
    private final long dueNanos;
    private boolean ended;

    HeldCall(ReceiverConnection connection, Reception reception, Reply reply, long nanos) {
        this.connection = connection;
        this.reception = reception;
        this.reply = reply;
        this.dueNanos = nanos + reply.afterNanos();
    }

    long dueNanos() {
        return dueNanos;
    }

    /** Sends the answer, if there is still somebody to get it. */
    void answer() throws IOException {
        if (!ended) {
            try {
                connection.answer(reply.bytes());
            } finally {
                end();
            }
        }
    }

    /** Says that nobody works on it any more. */
    void end() {
        if (!ended) {
            ended = true;
            reception.end(reply);
        }
    }

    @Override
    public int compareTo(HeldCall other) {
        return Long.compare(dueNanos, other.dueNanos);
    }
}
