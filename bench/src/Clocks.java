import java.time.Duration;
import java.time.Instant;

/** One moment on both clocks: arrivals are on the monotonic one, run times on the wall's. */
record Clocks(Instant wall, long nanos) {
    static Clocks now() {
        return new Clocks(Instant.now(), System.nanoTime());
    }

    long nanosAt(Instant time) {
        return nanos + Duration.between(wall, time).toNanos();
    }
}
