import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * How long each page of the dashboard takes and how large it is, with millions of executions: each list by each of its
 * filters, with much and with nothing to find, and a page of each thing. With {@code --url} it reads what is there.
 */
final class DashboardScenario implements Scenario {
    private static final String NAME = "dashboard";
    private static final int REPEATS = 20;
    private static final Duration MOST_OF_A_PAGE = Duration.ofSeconds(10);
    private static final double KIB = 1024.0;
    private static final String SLOWEST = "p99 of the slowest page but the forecast";
    /** It has a scenario, and a limit, of its own. */
    private static final String FORECAST = "forecast";

    private static final String LARGEST = "largest page";

    @Override
    public List<Wanted> wanted() {
        return List.of(
                Wanted.most("slowest page of the dashboard but the forecast, p99", NAME, SLOWEST, 100),
                Wanted.most("largest page of the dashboard", NAME, LARGEST, 100));
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.options().url().isEmpty()) {
            // Without workers and a scheduler, so that nothing changes meanwhile.
            session.runApart(new Roles(List.of("api")), Map.of("TE_RETENTION_DAYS", "0", "TE_EVENTS_ENABLED", "true"));
            try (ProgramDatabase database = ProgramDatabase.open(session)) {
                new DashboardHistory(
                                new ApiClient(session.service()),
                                database,
                                session.options().history())
                        .write();
            }
        }
        var visitor = new DashboardVisitor(session.service());
        visitor.logIn();
        var tour = new Tour(visitor, session.report());
        tour.go();
        session.report().add(NAME, SLOWEST, tour.slowest, "ms");
        session.report().add(NAME, LARGEST, tour.largest / KIB, "KiB");
    }

    /** Reads one page after the other, each again and again, and reports it. */
    private static final class Tour {
        private final DashboardVisitor visitor;
        private final Report report;
        private double slowest;
        private int largest;

        Tour(DashboardVisitor visitor, Report report) {
            this.visitor = visitor;
            this.report = report;
        }

        void go() throws IOException, InterruptedException {
            read("overview", "/ui/");
            list("executions", "/ui/executions/", executionFilters());
            one("execution that failed", "/ui/executions?status=FAILED", "/ui/executions/");
            one("execution that waits", "/ui/executions?status=PENDING", "/ui/executions/");
            list("dead-letters", "/ui/operations/", deadLetterFilters());
            list("jobs", "/ui/jobs/", jobFilters());
            one("job of a schedule", "/ui/jobs?trigger=CRON", "/ui/jobs/");
            list("workflows", "/ui/workflows/", workflowFilters());
            list("schedules", "/ui/schedules/", List.of("endpoint=bench-dashboard-7", "endpoint=none"));
            list("approvals", "/ui/approvals/", List.of("open=true", "open=false"));
            list("audit", "", List.of("kind=execution", "kind=endpoint", "actor=bench", "actor=nobody"));
            list("endpoints", "/ui/endpoints/", List.of());
            list("queues", "/ui/queues/", List.of());
            read(FORECAST, "/ui/forecast");
            read("keys", "/ui/keys");
        }

        /** A list, its second page, each of its filters, and the page of the first thing in it. */
        private void list(String name, String things, List<String> filters) throws IOException, InterruptedException {
            String path = "/ui/" + name;
            DashboardVisitor.Page first = read(name, path);
            if (first.older().isPresent()) {
                read(name + ", older", first.older().get());
            }
            for (String filter : filters) {
                read(name + " " + filter, path + "?" + filter);
            }
            if (!things.isEmpty() && first.link(things).isPresent()) {
                read("one of " + name, first.link(things).get());
            }
        }

        private void one(String name, String list, String things) throws IOException, InterruptedException {
            Optional<String> found = visitor.get(list).link(things);
            if (found.isPresent()) {
                read(name, found.get());
            }
        }

        private DashboardVisitor.Page read(String name, String path) throws IOException, InterruptedException {
            DashboardVisitor.Page first = visitor.get(path);
            var nanos = LongStream.builder();
            long end = System.nanoTime() + MOST_OF_A_PAGE.toNanos();
            for (int i = 0; i == 0 || i < REPEATS && System.nanoTime() < end; i++) {
                nanos.add(visitor.get(path).nanos());
            }
            Percentiles times = Percentiles.of(nanos.build());
            report.add(NAME, name + ", first", first.nanos() / 1e6, "ms");
            report.add(NAME, name + ", p50", times.millis(50), "ms");
            report.add(NAME, name + ", p99", times.millis(99), "ms");
            report.add(NAME, name + ", size", first.bytes() / KIB, "KiB");
            if (first.sent() != first.bytes()) {
                report.add(NAME, name + ", sent", first.sent() / KIB, "KiB");
            }
            if (!name.equals(FORECAST)) {
                slowest = Math.max(slowest, times.millis(99));
            }
            largest = Math.max(largest, first.bytes());
            return first;
        }
    }

    private static List<String> workflowFilters() {
        return List.of(
                "name=bench-flow-7",
                "name=" + DashboardHistory.RARE,
                "name=none",
                "status=SUCCESS",
                "status=FAILED",
                "status=RUNNING",
                "status=CANCELLED",
                "name=bench-flow-7&status=CANCELLED");
    }

    private static List<String> executionFilters() {
        var filters = new ArrayList<String>();
        for (String status : List.of(
                "PENDING",
                "QUEUED",
                "RUNNING",
                "RETRYING",
                "WAITING",
                "DEFERRED",
                "SUCCESS",
                "FAILED",
                "CANCELLED",
                "EXPIRED",
                "SKIPPED",
                "SUPERSEDED")) {
            filters.add("status=" + status);
        }
        filters.addAll(deadLetterFilters());
        filters.addAll(List.of(
                "retried=true",
                "retried=false",
                "status=SUCCESS&endpoint=" + DashboardHistory.RARE,
                "status=SUCCESS&tag=" + DashboardHistory.RARE,
                "status=RUNNING&queue=" + DashboardHistory.RARE,
                "status=FAILED&retried=false&endpoint=bench-dashboard-7"));
        return filters;
    }

    private static List<String> deadLetterFilters() {
        var filters = new ArrayList<>(List.of(
                "error_type=HTTP_ERROR", "error_type=TIMEOUT", "error_type=EGRESS_BLOCKED", "error_type=BROKER_ERROR"));
        filters.addAll(common());
        return filters;
    }

    private static List<String> jobFilters() {
        var filters = new ArrayList<>(common());
        filters.addAll(List.of(
                "status=ACTIVE",
                "status=RETIRED",
                "trigger=IMMEDIATE",
                "trigger=DELAYED",
                "trigger=CRON",
                "trigger=INTERVAL",
                "status=RETIRED&trigger=CRON",
                "status=ACTIVE&endpoint=" + DashboardHistory.RARE,
                "status=ACTIVE&tag=bench",
                "status=ACTIVE&queue=" + DashboardHistory.RARE));
        return filters;
    }

    private static List<String> common() {
        Instant weekAgo = Instant.now().minus(7, ChronoUnit.DAYS).truncatedTo(ChronoUnit.SECONDS);
        Instant longAgo = weekAgo.minus(365, ChronoUnit.DAYS);
        return List.of(
                "endpoint=bench-dashboard-7",
                "endpoint=" + DashboardHistory.RARE,
                "endpoint=" + DashboardHistory.UNUSED,
                "endpoint=none",
                "queue=bench-queue-7",
                "queue=" + DashboardHistory.RARE,
                "queue=" + DashboardHistory.UNUSED,
                "tag=bench",
                "tag=" + DashboardHistory.RARE,
                "tag=none",
                "created_from=" + weekAgo,
                "created_before=" + weekAgo,
                "created_before=" + longAgo,
                "endpoint=bench-dashboard-7&queue=" + DashboardHistory.RARE,
                "endpoint=bench-dashboard-7&tag=" + DashboardHistory.RARE,
                "endpoint=" + DashboardHistory.RARE + "&tag=bench",
                "queue=bench-queue-7&tag=" + DashboardHistory.RARE);
    }
}
