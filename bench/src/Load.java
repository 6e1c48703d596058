import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/**
 * Requests to send and when to send them.
 *
 * @param count how many at most
 * @param request the bytes of request n
 * @param intervalNanos the time between two intended sends; 0 sends as soon as a connection is free
 * @param over whether no more are to be sent; what it says stays so
 */
record Load(int count, IntFunction<byte[]> request, long intervalNanos, BooleanSupplier over) {
    /** Each connection sends its next request when its last one is answered. */
    static Load closedLoop(int count, IntFunction<byte[]> request) {
        return new Load(count, request, 0, () -> false);
    }

    /** Requests are due at a fixed rate, however long the answers take. */
    static Load openLoop(int count, int perSecond, IntFunction<byte[]> request) {
        return new Load(count, request, 1_000_000_000L / perSecond, () -> false);
    }

    Load until(BooleanSupplier over) {
        return new Load(count, request, intervalNanos, over);
    }

    boolean paced() {
        return intervalNanos > 0;
    }
}
