package io.taskexec.lease;

import static io.taskexec.testing.TestDb.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.taskexec.loop.LoopTimer;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.resolve.CallbackAddresses;
import io.taskexec.resolve.RealResolver;
import io.taskexec.secret.CallbackTokens;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SecretCipher;
import io.taskexec.store.auth.ApiKeyStore;
import io.taskexec.store.execution.PulledClaims;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.pull.LeaseTerms;
import io.taskexec.store.pull.PullQueues;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wait.DeferralStore;
import io.taskexec.store.wait.ReportStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.wakeup.HearingSignal;
import io.taskexec.store.wakeup.ProcessBroadcast;
import io.taskexec.testing.Rows;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.wait.RealOutsideResults;
import io.vertx.mutiny.sqlclient.Pool;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A process that leases executions to a pull worker, on a database of a test. */
final class LeaseProcess implements AutoCloseable {
    static final int QUEUE = 7;
    static final String ENDPOINT = "resize";

    /** All processes have the same. */
    private static final KeyRing KEYS = KeyRing.parse(KeyRing.generate());

    final PulledClaims store;
    final PullClaims claims;
    final HeldLeases held;
    final WaitingCalls calls;
    final PulledPreemption preemption;
    final LeaseActions actions;
    final LeaseBroker broker;
    final LeaseWatch watch;
    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final LoopTimer timer = new LoopTimer();

    LeaseProcess(TestDb db) {
        this(db, db.pool());
    }

    /** @param pool the way to the database */
    LeaseProcess(TestDb db, Pool pool) {
        var database = new Database(pool, TestDb.PATIENCE, false, Meters.of(registry));
        held = new HeldLeases(new ProcessBroadcast(), new CancelSignal());
        var metrics = new LeaseMetrics(Meters.of(registry));
        var leases = Stores.leases(database);
        var queues = new PullQueues(database);
        store = new PulledClaims(database, FlowReleases.none(database));
        var resolver = RealResolver.on(database, new SecretCipher(KEYS));
        var results = RealOutsideResults.on(db, database);
        var regions = db.region("default");
        claims = new PullClaims(store, queues, new LeaseTerms(database), leases, regions, resolver, results);
        calls = new WaitingCalls(held, claims, metrics);
        broker = new LeaseBroker(claims, queues, calls, HearingSignal.create(), timer);
        held.onNotice(broker::look);
        preemption = new PulledPreemption(held, calls, queues, store, regions);
        var ends = new LeaseEnds(held, results, new DeferralStore(database), metrics);
        actions = new LeaseActions(
                new LeaseFinder(held, store, resolver, preemption),
                held,
                leases,
                new ReportStore(database, new DueSignal()),
                ends,
                new CallbackAddresses(new CallbackTokens(KEYS), () -> Optional.of("https://tasks.test")),
                metrics);
        watch = new LeaseWatch(held, ends, calls, preemption, claims, new ApiKeyStore(database), timer);
    }

    /** Makes the endpoint, whose attempts may be preempted. */
    static void makeEndpoint(TestDb db, Rows rows) {
        makeEndpoint(db, rows, QUEUE, ENDPOINT);
    }

    /** Makes another one. */
    static void makeEndpoint(TestDb db, Rows rows, int queue, String name) {
        db.execute("INSERT INTO queues (queue_id, name, pulled) VALUES (%d, 'worker:%s', true)".formatted(queue, name));
        rows.endpoint(name).attempts(3, Duration.ofHours(1)).insert();
        db.execute("UPDATE endpoint_versions SET endpoint_type = 'WORKER', spec = '{}', preemptible = true, queue_id ="
                + " %d WHERE name = '%s'".formatted(queue, name));
    }

    /** Makes an execution that is due. */
    static UUID due(Rows rows, int priority) {
        return rows.live()
                .endpoint(ENDPOINT)
                .lane(Lanes.lane(QUEUE, 0, false, priority))
                .insert();
    }

    /** A request for one lease. */
    static PullCall call() {
        return call(ENDPOINT, 1);
    }

    /** A request for so many leases. */
    static PullCall call(String endpoint, int max) {
        return call(endpoint, max, null);
    }

    /** The same, with an API key. */
    static PullCall call(String endpoint, int max, @Nullable String keyId) {
        var minute = Duration.ofMinutes(1);
        var request = new LeaseRequest("worker", List.of(endpoint), max, minute, minute, 7, false);
        return new PullCall(request, keyId, endpoint::equals);
    }

    /** Leases what is due. */
    HeldLease lease() {
        var call = call();
        broker.ask(call);
        await(broker.runOnce());
        return call.answer().join().leases().getFirst().lease();
    }

    /** The number of leases that have ended in this way. */
    double ended(String result) {
        return registry.get("taskexec.lease.results")
                .tag("result", result)
                .counter()
                .count();
    }

    /** The number of executions that have ended in this way. */
    double executions(String outcome) {
        return registry.get("taskexec.executions")
                .tag("outcome", outcome)
                .counter()
                .count();
    }

    @Override
    public void close() {
        timer.close();
    }
}
