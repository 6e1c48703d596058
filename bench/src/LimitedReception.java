import java.time.Duration;
import java.util.BitSet;

/** Works on so many calls at once, each of which takes a while, and refuses all others at once. */
final class LimitedReception implements Reception {
    private final int capacity;
    private final Reply taken;
    private final Reply refused = Reply.tooMany();
    private final BitSet numbers = new BitSet();
    private int open;
    private Counts counts = new Counts(0, 0, 0);

    /** How many calls were taken and refused so far, and how many were taken though another one of the job was. */
    record Counts(int taken, int refused, int again) {
        Counts since(Counts before) {
            return new Counts(taken - before.taken, refused - before.refused, again - before.again);
        }

        int all() {
            return taken + refused;
        }

        double refusedPercent() {
            return 100.0 * refused / all();
        }
    }

    LimitedReception(int capacity, Duration hold) {
        this.capacity = capacity;
        this.taken = Reply.ok(hold);
    }

    @Override
    public synchronized Reply begin(int n, long nanos) {
        if (open == capacity) {
            counts = new Counts(counts.taken, counts.refused + 1, counts.again);
            return refused;
        }
        open++;
        counts = new Counts(counts.taken + 1, counts.refused, counts.again + (numbers.get(n) ? 1 : 0));
        numbers.set(n);
        return taken;
    }

    @Override
    public synchronized void end(Reply reply) {
        if (reply == taken) {
            open--;
        }
    }

    synchronized Counts counts() {
        return counts;
    }
}
