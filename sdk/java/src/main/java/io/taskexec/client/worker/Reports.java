package io.taskexec.client.worker;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.client.TaskexecException;
import io.taskexec.client.api.Leases;
import io.taskexec.client.model.LeaseResult;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Tells how attempts have ended. The first report is sent at once; those that come while a call is under way are sent
 * together with the next one. What could not be sent is sent again for as long as the leases are held, before what has
 * come since, so that the reports of a task stay in their order.
 */
final class Reports extends Loop {
    private static final System.Logger LOG = System.getLogger(Reports.class.getName());
    private static final int BATCH = 500;

    /** Of a body, which may have 1 MiB. */
    private static final int MAX_BYTES = 900_000;

    private static final int BAD_REQUEST = 400;
    private static final int SERVER_ERROR = 500;

    /** Another key, another server, or the same one later may take what was refused with these. */
    private static final Set<Integer> PASSING = Set.of(401, 403, 404, 408, 429);

    private final Leases leases;
    private final HeldLeases held;
    private final BlockingQueue<Report> queue = new LinkedBlockingQueue<>();
    private final List<Report> again = new ArrayList<>();

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
        sendAll(again.isEmpty() ? List.of(queue.take()) : List.copyOf(again));
    }

    /** Sends what is left, and ends. */
    void flush(Duration patience) {
        hurry();
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

    /** One part that fails keeps no other one back. */
    private void sendAll(List<Report> first) {
        again.clear();
        var batch = new ArrayList<>(first);
        queue.drainTo(batch, BATCH - batch.size());
        RuntimeException failure = null;
        for (var part : parts(firstOfEach(batch))) {
            try {
                send(part);
            } catch (RuntimeException | Error e) {
                failure = e instanceof RuntimeException known ? known : new IllegalStateException(e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** A lease ends once: what follows the first report of it cannot be taken. */
    private static Collection<Report> firstOfEach(List<Report> batch) {
        var reports = new LinkedHashMap<String, Report>();
        batch.forEach(report -> reports.putIfAbsent(report.lease(), report));
        return reports.values();
    }

    /** Reports of one kind each, in calls that are not too large. */
    private static List<List<Report>> parts(Collection<Report> batch) {
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

    private void send(List<Report> reports) {
        var rest = reports.stream().filter(report -> held.holds(report.lease())).toList();
        if (rest.isEmpty()) {
            return;
        }
        try {
            call(rest).forEach(result -> apply(result, rest));
        } catch (TaskexecException e) {
            if (rest.size() > 1 && (isRefusal(e) || e.status() == SERVER_ERROR)) {
                sendApart(rest);
            } else if (isRefusal(e)) {
                replace(rest.get(0), e);
            } else {
                again.addAll(rest);
                throw e;
            }
        } catch (RuntimeException | Error e) {
            again.addAll(rest);
            throw e;
        }
    }

    private static boolean isRefusal(TaskexecException e) {
        return e.status() >= BAD_REQUEST && e.status() < SERVER_ERROR && !PASSING.contains(e.status());
    }

    /** One item spoils a call, so that each has one of its own. */
    private void sendApart(List<Report> reports) {
        for (var i = 0; i < reports.size(); i++) {
            try {
                send(reports.subList(i, i + 1));
            } catch (RuntimeException | Error e) {
                // The one that has failed may do so each time, so it comes after those that were not tried.
                again.addAll(again.size() - 1, reports.subList(i + 1, reports.size()));
                throw e;
            }
        }
    }

    /** Reports something else in the place of what was refused. */
    private void replace(Report report, TaskexecException refusal) {
        LOG.log(Level.ERROR, "The result of {0} was refused: {1}", name(report.lease()), refusal.getMessage());
        if (report instanceof Report.Completed || report instanceof Report.Deferred) {
            send(List.of(refused(report.lease(), RunningTask.REFUSED, String.valueOf(refusal.getMessage()))));
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
