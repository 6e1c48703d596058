import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** A db-scheduler in this process whose one task is the call that taskexec makes too. */
final class DbScheduler implements AutoCloseable {
    private static final String TASK = "call";
    private static final int THREADS = 50;

    /** One for each thread that completes a task, and some to poll with. */
    private static final int CONNECTIONS = THREADS + 6;

    /** The fractions of the threads at which it polls again, and that it polls at most, as it advises for high rates. */
    private static final double LOWER_LIMIT = 1;

    private static final double UPPER_LIMIT = 4;

    /** An empty poll is repeated after this; a full one at once. */
    private static final Duration POLLING_INTERVAL = Duration.ofMillis(100);

    // As in its documentation, without the index that only priorities need.
    private static final String SCHEMA = """
            CREATE TABLE scheduled_tasks (
              task_name text NOT NULL,
              task_instance text NOT NULL,
              task_data bytea,
              execution_time timestamptz NOT NULL,
              picked boolean NOT NULL,
              picked_by text,
              last_success timestamptz,
              last_failure timestamptz,
              consecutive_failures int,
              last_heartbeat timestamptz,
              version bigint NOT NULL,
              priority smallint,
              state text,
              PRIMARY KEY (task_name, task_instance)
            );
            CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time);
            CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat);
            """;

    private final HikariDataSource connections;
    private final OneTimeTask<Void> task;
    private final Scheduler scheduler;

    private DbScheduler(HikariDataSource connections, OneTimeTask<Void> task, Scheduler scheduler) {
        this.connections = connections;
        this.task = task;
        this.scheduler = scheduler;
    }

    /** Gives an empty database its table. */
    static void createTable(Database database) throws SQLException {
        database.execute(SCHEMA);
    }

    /** The same, with so many jobs that are due. */
    static void queue(Database database, int count) throws SQLException {
        createTable(database);
        database.execute("""
                INSERT INTO scheduled_tasks (task_name, task_instance, execution_time, picked, consecutive_failures, version)
                SELECT '%s', 'queued-' || n, now(), false, 0, 1 FROM generate_series(0, %d) AS n
                """.formatted(TASK, count - 1));
    }

    /**
     * Starts it on a database with its table.
     *
     * @param request what is sent now for the job with a number
     */
    static DbScheduler start(Database database, InetSocketAddress target, Supplier<RequestOfJob> request) {
        var config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(database.user());
        config.setPassword(database.password());
        config.setMaximumPoolSize(CONNECTIONS);
        var connections = new HikariDataSource(config);
        var calls = ThreadLocal.withInitial(() -> new HttpCall(target));
        OneTimeTask<Void> task = Tasks.oneTime(TASK, Void.class).execute((instance, context) -> {
            try {
                calls.get().send(request.get().bytes(numberOf(instance.getId())));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        var scheduler = Scheduler.create(connections, task)
                .threads(THREADS)
                .pollUsingLockAndFetch(LOWER_LIMIT, UPPER_LIMIT)
                .pollingInterval(POLLING_INTERVAL)
                .build();
        scheduler.start();
        return new DbScheduler(connections, task, scheduler);
    }

    /** Makes the request of a job. */
    interface RequestOfJob {
        byte[] bytes(int n);
    }

    /** What application threads use to schedule one by one. */
    SchedulerClient client() {
        return scheduler;
    }

    /** Job n of a scenario; the instance id is all that the call needs, so there is no data to serialise. */
    TaskInstance<Void> job(String scenario, int n) {
        return task.instance(scenario + "-" + n);
    }

    void schedule(String scenario, int from, int to, Instant runAt) {
        List<TaskInstance<?>> jobs = IntStream.range(from, to)
                .<TaskInstance<?>>mapToObj(n -> job(scenario, n))
                .toList();
        scheduler.scheduleBatch(jobs, runAt);
    }

    private static int numberOf(String instance) {
        return Integer.parseInt(instance.substring(instance.lastIndexOf('-') + 1));
    }

    @Override
    public void close() {
        scheduler.stop();
        connections.close();
    }
}
