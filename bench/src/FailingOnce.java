import java.time.Duration;
import java.util.BitSet;
import java.util.function.IntPredicate;

/** Answers the first calls with certain numbers with an error, and all others well. */
final class FailingOnce implements Reception {
    private static final Reply OK = Reply.ok(Duration.ZERO);
    private static final Reply FAILED = Reply.failed();

    private final IntPredicate fails;
    private final BitSet failed = new BitSet();

    FailingOnce(IntPredicate fails) {
        this.fails = fails;
    }

    @Override
    public Reply begin(int n, long nanos) {
        if (!fails.test(n) || failed.get(n)) {
            return OK;
        }
        failed.set(n);
        return FAILED;
    }
}
