package io.taskexec.worker.adaptive;

import io.taskexec.model.flow.FlowKey;
import java.time.Duration;

/** Counts the calls of this process to the receiver of one endpoint. Times are of {@link System#nanoTime}. */
final class ReceiverLoad {
    private static final long WINDOW = Duration.ofSeconds(1).toNanos();
    private static final long IDLE = Duration.ofMinutes(1).toNanos();

    private final long ownFlowId;
    private final CallTimes times = new CallTimes();
    private int running;

    /** Calls that began before say nothing of the present limit. */
    private long countsFrom = Long.MIN_VALUE;

    private int all;
    private long windowBegan;
    private int ended;
    private int refused;
    private int endedBefore;
    private int refusedBefore;

    ReceiverLoad(String endpoint) {
        this.ownFlowId = FlowKey.of(endpoint, "").id();
    }

    /** Whether an execution with this key counts for the endpoint as a whole. */
    boolean isOwn(Long flowId) {
        return flowId == ownFlowId;
    }

    synchronized void begin() {
        running++;
    }

    /** Whether no call is under way, and those that have ended do not count any more. */
    synchronized boolean isIdle(long now) {
        return running == 0 && now - windowBegan > IDLE;
    }

    /** Returns the number of calls that were under way, this one included. */
    synchronized int end() {
        return running--;
    }

    /** A call has ended, and its answer tells something of the receiver. */
    synchronized void answered(long begunAt, long now, boolean isRefusal) {
        if (countsFrom != Long.MIN_VALUE && begunAt - countsFrom < 0) {
            return;
        }
        move(now);
        all++;
        ended++;
        if (isRefusal) {
            refused++;
        } else {
            times.add(now - begunAt, now);
        }
    }

    /** The limit has been changed: from now on it is seen what comes of it. */
    synchronized void restart(long now) {
        countsFrom = now;
        windowBegan = now;
        all = 0;
        ended = 0;
        refused = 0;
        endedBefore = 0;
        refusedBefore = 0;
    }

    synchronized Answers answers(long now) {
        move(now);
        return new Answers(ended + endedBefore, refused + refusedBefore, all, times.slowness());
    }

    private void move(long now) {
        var passed = now - windowBegan;
        if (passed >= WINDOW) {
            endedBefore = passed >= 2 * WINDOW ? 0 : ended;
            refusedBefore = passed >= 2 * WINDOW ? 0 : refused;
            ended = 0;
            refused = 0;
            windowBegan = now;
        }
    }
}
