package io.taskexec.client.worker;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.client.Backoff;
import io.taskexec.client.TaskexecException;
import io.taskexec.client.api.Leases;
import io.taskexec.client.model.LeaseResult;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Tells how attempts have ended. The first report is sent at once; those that come while a call is under way are sent
 * together with the next one. A call that fails is repeated for as long as the leases are held.
 */
final class Reports extends Loop {
    private static final System.Logger LOG = System.getLogger(Reports.class.getName());
    private static final int BATCH = 500;

    /** Of a body, which may have 1 MiB. */
    private static final int MAX_BYTES = 900_000;

    private static final int BAD_REQUEST = 400;
    private static final int TOO_LARGE = 413;

    private final Leases leases;
    private final HeldLeases held;
    private final BlockingQueue<Report> queue = new LinkedBlockingQueue<>();

    Reports(Leases leases, HeldLeases held) {
        super("taskexec-reports");
        this.leases = leases;
        this.held = held;
    }

    void add(Report report) {
        queue.add(report);
    }

    @Override
    void runOnce() throws InterruptedException {
        sendAll(queue.take());
    }

    /** Sends what is left, and ends. */
    void flush(Duration patience) {
        var end = System.nanoTime() + patience.toNanos();
        while (!held.all().isEmpty() && System.nanoTime() - end < 0) {
            try {
                Thread.sleep(5);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        stop(Duration.ofSeconds(1));
    }

    private void sendAll(Report first) throws InterruptedException {
        var batch = new ArrayList<Report>();
        batch.add(first);
        queue.drainTo(batch, BATCH - 1);
        try {
            for (var part : parts(batch)) {
                send(part);
            }
        } catch (RuntimeException | Error e) {
            // What is still held has not been reported.
            batch.stream().filter(report -> held.holds(report.lease())).forEach(queue::add);
            throw e;
        }
    }

    /** Reports of one kind each, in calls that are not too large. */
    private static List<List<Report>> parts(List<Report> batch) {
        var kinds = new LinkedHashMap<Class<?>, List<List<Report>>>();
        var sizes = new LinkedHashMap<Class<?>, Integer>();
        for (var report : batch) {
            var kind = report.getClass();
            var lists = kinds.computeIfAbsent(kind, same -> new ArrayList<>());
            var size = sizes.merge(kind, report.size(), Integer::sum);
            if (lists.isEmpty() || size > MAX_BYTES) {
                lists.add(new ArrayList<>());
                sizes.put(kind, report.size());
            }
            lists.get(lists.size() - 1).add(report);
        }
        return kinds.values().stream().flatMap(List::stream).toList();
    }

    private void send(List<Report> reports) throws InterruptedException {
        for (var failures = 1; ; failures++) {
            var rest = reports.stream()
                    .filter(report -> held.holds(report.lease()))
                    .toList();
            if (rest.isEmpty()) {
                return;
            }
            try {
                call(rest).forEach(result -> apply(result, rest));
                return;
            } catch (TaskexecException e) {
                if (e.status() == BAD_REQUEST || e.status() == TOO_LARGE) {
                    sendApart(rest, e);
                    return;
                }
                LOG.log(Level.WARNING, "{0} results could not be reported: {1}", rest.size(), e.getMessage());
                Thread.sleep(Backoff.after(failures).toMillis());
            }
        }
    }

    /** One item spoils a call, so that each has one of its own. */
    private void sendApart(List<Report> reports, TaskexecException refusal) throws InterruptedException {
        if (reports.size() > 1) {
            for (var report : reports) {
                send(List.of(report));
            }
            return;
        }
        var report = reports.get(0);
        LOG.log(Level.ERROR, "The result of {0} was refused: {1}", name(report.lease()), refusal.getMessage());
        if (report instanceof Report.Completed || report instanceof Report.Deferred) {
            send(List.of(refused(report.lease(), "RESULT_REFUSED", String.valueOf(refusal.getMessage()))));
        } else if (report instanceof Report.Failed failed && !failed.error().equals(plain(failed.error()))) {
            send(List.of(new Report.Failed(report.lease(), plain(failed.error()))));
        } else {
            held.remove(report.lease());
        }
    }

    /** An error in which there is nothing to refuse. */
    private static Leases.TaskError plain(Leases.TaskError error) {
        return new Leases.TaskError("The handler has failed.", null, error.permanent(), null);
    }

    private List<LeaseResult> call(List<Report> reports) {
        var outputs = new LinkedHashMap<String, @Nullable JsonNode>();
        var errors = new LinkedHashMap<String, Leases.TaskError>();
        var timeouts = new LinkedHashMap<String, @Nullable Duration>();
        var released = new ArrayList<String>();
        for (var report : reports) {
            if (report instanceof Report.Completed completed) {
                outputs.put(completed.lease(), completed.output());
            } else if (report instanceof Report.Failed failed) {
                errors.put(failed.lease(), failed.error());
            } else if (report instanceof Report.Deferred deferred) {
                timeouts.put(deferred.lease(), deferred.timeout());
            } else {
                released.add(report.lease());
            }
        }
        return results(outputs, errors, timeouts, released);
    }

    /** All are of one kind. */
    private List<LeaseResult> results(
            Map<String, @Nullable JsonNode> outputs,
            Map<String, Leases.TaskError> errors,
            Map<String, @Nullable Duration> timeouts,
            List<String> released) {
        if (!outputs.isEmpty()) {
            return leases.complete(outputs);
        }
        if (!errors.isEmpty()) {
            return leases.fail(errors);
        }
        return timeouts.isEmpty() ? leases.release(released) : leases.defer(timeouts);
    }

    /** A lease that was refused for another reason than its loss is still held, so the task fails by that. */
    private void apply(LeaseResult result, List<Report> reports) {
        var error = result.error();
        if (error == null) {
            held.remove(result.lease());
            return;
        }
        var task = held.get(result.lease());
        var level = task != null && task.isCancelled() ? Level.DEBUG : Level.WARNING;
        LOG.log(level, "The result of {0} was not taken: {1}", name(result.lease()), error);
        var isResult = reports.get(0) instanceof Report.Completed || reports.get(0) instanceof Report.Deferred;
        if (isResult && !RunningTask.LEASE_LOST.equals(error.code())) {
            add(refused(result.lease(), error.code(), error.message()));
        } else {
            held.remove(result.lease());
        }
    }

    private static Report refused(String lease, String code, String message) {
        return new Report.Failed(lease, new Leases.TaskError(message, code, true, null));
    }

    private String name(String lease) {
        var task = held.get(lease);
        return task == null ? lease : task.executionId();
    }
}
