package io.taskexec.client.worker;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.client.Json;
import io.taskexec.client.api.Leases;
import io.taskexec.client.model.Lease;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** A task that this worker holds, from its lease until its end is reported. */
final class RunningTask implements TaskContext {
    /** The reason of a cancellation after which nothing is to be reported. */
    static final String LEASE_LOST = "LEASE_LOST";

    /** The reason of one when the worker stops. */
    static final String STOPPING = "STOPPING";

    /** The code of a failure by a result that cannot be reported. */
    static final String REFUSED = "RESULT_REFUSED";

    private static final int MAX_OUTPUT = 65_536;
    private static final int MAX_MESSAGE = 2_000;
    private static final int MAX_PROGRESS_MESSAGE = 1_024;
    private static final int MAX_CODE = 128;
    private static final double MAX_AMOUNT = 1e15;
    private static final Duration MAX_TIME = Duration.ofDays(366);

    private final Lease lease;
    private final TaskType<?> type;
    private final Environment environment;

    private @Nullable Thread thread;
    private @Nullable Footprint footprint;
    private volatile @Nullable String cancelledFor;
    private volatile boolean hasEnded;
    private volatile boolean isDeferred;
    private volatile @Nullable Duration deferredFor;
    private Leases.@Nullable Progress progress;
    private final long heldSince = System.nanoTime();
    private volatile long extendedAt = heldSince;

    RunningTask(Lease lease, TaskType<?> type, Environment environment) {
        this.lease = lease;
        this.type = type;
        this.environment = environment;
    }

    /** Runs the handler, and returns how that ended, or null when there is nothing to report. */
    @Nullable
    Report run() {
        if (!begin()) {
            return afterCancellation();
        }
        try {
            var result = handle(type);
            return isDeferred ? new Report.Deferred(lease.lease(), time(deferredFor, 1)) : completed(result);
        } catch (Throwable failure) {
            return cancelledFor != null ? afterCancellation() : failed(failure);
        } finally {
            end();
        }
    }

    private <T> @Nullable Object handle(TaskType<T> type) throws Exception {
        return type.handler().run(type.read(lease.input(), environment.mapper()), this);
    }

    private @Nullable Report afterCancellation() {
        return LEASE_LOST.equals(cancelledFor) ? null : new Report.Released(lease.lease());
    }

    private Report completed(@Nullable Object result) {
        if (result == null) {
            return new Report.Completed(lease.lease(), null, 0);
        }
        JsonNode output;
        int size;
        try {
            output = environment.mapper().valueToTree(result);
            // The mapper may write it in another form than that of requests, such as with line breaks.
            size = Json.sizeSent(output);
        } catch (IllegalArgumentException | StackOverflowError e) {
            // Another attempt would do all of the work again, for the same result. One that contains itself overflows.
            throw new PermanentException("The result cannot be written as JSON: " + reason(e), REFUSED, e);
        }
        if (size > MAX_OUTPUT) {
            throw new PermanentException(
                    "The result has %d bytes of JSON; %d are allowed.".formatted(size, MAX_OUTPUT),
                    "OUTPUT_TOO_LARGE",
                    null);
        }
        return new Report.Completed(lease.lease(), output, size);
    }

    private static String reason(Throwable failure) {
        return failure instanceof StackOverflowError
                ? "it contains itself, or is too deep"
                : Objects.requireNonNullElse(failure.getMessage(), failure.toString());
    }

    private Report failed(Throwable failure) {
        try {
            return new Report.Failed(lease.lease(), error(failure));
        } catch (RuntimeException | Error e) {
            // An exception of the handler may fail to say what it is.
            var isPermanent = failure instanceof PermanentException;
            return new Report.Failed(lease.lease(), new Leases.TaskError(message(null), null, isPermanent, null));
        }
    }

    private static Leases.TaskError error(Throwable failure) {
        var error = new Leases.TaskError(message(failure.toString()), null, false, null);
        if (failure instanceof PermanentException permanent) {
            error = new Leases.TaskError(message(permanent.getMessage()), code(permanent.code()), true, null);
        } else if (failure instanceof RetryableException retryable) {
            error = new Leases.TaskError(message(retryable.getMessage()), null, false, time(retryable.retryAfter(), 0));
        }
        return error;
    }

    /** As the API takes it: neither empty nor too long. */
    private static String message(@Nullable String text) {
        return text == null || text.isBlank() ? "The handler has failed." : cut(text, MAX_MESSAGE);
    }

    private static @Nullable String code(@Nullable String code) {
        return code == null || code.isBlank() ? null : cut(code, MAX_CODE);
    }

    /** Without NUL characters and halves of characters, which the API refuses. */
    private static String cut(String text, int most) {
        var whole = new String(text.replace('\0', ' ').getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        if (whole.length() <= most) {
            return whole;
        }
        return whole.substring(0, Character.isHighSurrogate(whole.charAt(most - 1)) ? most - 1 : most);
    }

    /** In whole milliseconds, and not too long: a time that was computed from a clock may have passed. */
    private static @Nullable Duration time(@Nullable Duration time, long leastMillis) {
        if (time == null || time.compareTo(MAX_TIME) >= 0) {
            return time == null ? null : MAX_TIME;
        }
        return Duration.ofMillis(
                time.isNegative()
                        ? leastMillis
                        : Math.max(leastMillis, time.plusNanos(999_999).toMillis()));
    }

    private synchronized boolean begin() {
        if (cancelledFor != null) {
            return false;
        }
        thread = Thread.currentThread();
        return true;
    }

    /** Leaves the thread as it was, for the next task. */
    private synchronized void end() {
        thread = null;
        hasEnded = true;
        Thread.interrupted();
    }

    boolean hasEnded() {
        return hasEnded;
    }

    /** Tells the handler that its work should end. The first reason counts, but for the loss of the lease. */
    synchronized void cancel(String reason) {
        if (cancelledFor != null) {
            cancelledFor = LEASE_LOST.equals(reason) ? reason : cancelledFor;
            return;
        }
        cancelledFor = reason;
        if (thread != null) {
            thread.interrupt();
        }
    }

    /** Asked once, so that what is given back is what was taken. */
    synchronized Footprint footprint() {
        if (footprint == null) {
            footprint = expected(type);
        }
        return footprint;
    }

    private <T> Footprint expected(TaskType<T> type) {
        var function = type.options().footprint();
        try {
            var read = function == null ? null : function.apply(type.read(lease.input(), environment.mapper()));
            return Objects.requireNonNullElse(read, Footprint.NONE);
        } catch (RuntimeException | Error e) {
            // The handler meets the same, and its failure is reported.
            return Footprint.NONE;
        }
    }

    boolean isGated() {
        return type.isGated();
    }

    String token() {
        return lease.lease();
    }

    Duration heldFor() {
        return Duration.ofNanos(System.nanoTime() - heldSince);
    }

    /** Less than zero when this one has been held for longer. */
    int compareAge(RunningTask other) {
        return Long.signum(heldSince - other.heldSince);
    }

    long extendedAt() {
        return extendedAt;
    }

    void extended(long now) {
        extendedAt = now;
    }

    synchronized boolean hasProgress() {
        return progress != null;
    }

    /** Returns what was reported last, once. */
    synchronized Leases.@Nullable Progress takeProgress() {
        var latest = progress;
        progress = null;
        return latest;
    }

    @Override
    public Lease lease() {
        return lease;
    }

    @Override
    public boolean isCancelled() {
        return cancelledFor != null;
    }

    @Override
    public synchronized void progress(double current, @Nullable Double total, @Nullable String message) {
        if (!Double.isFinite(current) || (total != null && !Double.isFinite(total))) {
            throw new IllegalArgumentException("Progress is a number: %s of %s".formatted(current, total));
        }
        // As the API takes it: neither empty nor too long, and never more than all, as a total that was a guess is.
        var shown = message == null || message.isEmpty() ? null : cut(message, MAX_PROGRESS_MESSAGE);
        var whole = total == null ? null : amount(total, MAX_AMOUNT);
        progress = new Leases.Progress(amount(current, whole == null ? MAX_AMOUNT : whole), whole, shown);
    }

    private static double amount(double given, double most) {
        return Math.max(0, Math.min(given, most));
    }

    @Override
    public void defer(@Nullable Duration timeout) {
        if (lease.callbackUrl() == null) {
            throw new IllegalStateException(
                    "The endpoint '%s' has no callbacks; set its completion.".formatted(lease.endpoint()));
        }
        deferredFor = timeout;
        isDeferred = true;
    }

    @Override
    public <S> S state(Class<S> type) {
        return environment.state(type);
    }

    @Override
    public <R extends @Nullable Object> R onCpu(Callable<R> work) throws Exception {
        return environment.cpu().call(work);
    }
}
