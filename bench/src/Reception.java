import java.time.Duration;

/** What the receiver does with the calls of a scenario. Only its thread begins and ends them. */
interface Reception {
    /** The answer that is sent at once, by the shortest way: the receiver does not even ask for it. */
    Reception AT_ONCE = (n, nanos) -> {
        throw new IllegalStateException("Calls that are answered at once do not begin.");
    };

    /** Holds each call for the same time. */
    static Reception holding(Duration hold) {
        Reply reply = Reply.ok(hold);
        return (n, nanos) -> reply;
    }

    /** A call with a number has come. */
    Reply begin(int n, long nanos);

    /** It was answered, or its connection was closed before: nobody works on it any more. */
    default void end(Reply reply) {}
}
