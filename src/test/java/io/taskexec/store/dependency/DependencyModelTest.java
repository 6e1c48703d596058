package io.taskexec.store.dependency;

import static io.taskexec.testing.TestDb.await;
import static io.taskexec.testing.TestDb.awaitRepeated;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.store.invariant.InvariantStore;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.vertx.mutiny.sqlclient.Row;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Random graphs end as a reference interpreter says, whatever the order in which processes end and release. */
@StoreTest
class DependencyModelTest {
    /** Thousands with {@code -Dtaskexec.graphs}. */
    private static final int GRAPHS = Integer.getInteger("taskexec.graphs", 40);

    private static final int PROCESSES = 3;
    private static final Duration BOUND = Duration.ofSeconds(60);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static List<DependencyBed> beds;

    @BeforeAll
    static void open() {
        rows.endpoint(DependencyBed.ENDPOINT).insert();
        beds = IntStream.range(0, PROCESSES)
                .mapToObj(_ -> new DependencyBed(db))
                .toList();
    }

    @Test
    void allGraphsEndAsTheReferenceSays() throws Exception {
        var first = new Random().nextLong(1_000_000);
        for (var seed = first; seed < first + GRAPHS; seed++) {
            new Run(seed).check();
        }
    }

    /** One graph. */
    private static final class Run {
        private final long seed;
        private final ReferenceGraph graph;
        private final Map<UUID, Integer> numbers = new ConcurrentHashMap<>();
        private final Map<Integer, Integer> begun = new ConcurrentHashMap<>();
        private final Set<Integer> ended = ConcurrentHashMap.newKeySet();
        private final Set<Integer> cancelled = ConcurrentHashMap.newKeySet();
        private final Set<String> faults = ConcurrentHashMap.newKeySet();
        private final AtomicBoolean isOver = new AtomicBoolean();

        Run(long seed) {
            this.seed = seed;
            this.graph = new ReferenceGraph(seed);
        }

        void check() throws InterruptedException, ExecutionException {
            try (var threads = Executors.newFixedThreadPool(PROCESSES)) {
                var processes = beds.stream()
                        .map(bed -> threads.submit(() -> work(bed)))
                        .toList();
                create(new Random(seed));
                Eventually.await("the graph " + seed + " has ended", BOUND, () -> {
                    var _ = awaitRepeated(beds.getFirst().dependencyReleases::release);
                    return db.number("SELECT count(*) FROM exec_live") == 0;
                });
                isOver.set(true);
                for (var process : processes) {
                    process.get();
                }
            }
            assertThat(faults).as("seed " + seed).isEmpty();
            assertThat(found()).as("seed " + seed).isEqualTo(graph.ends(cancelled));
            assertThat(begun.values()).as("seed " + seed).allMatch(times -> times == 1);
            assertThat(await(new InvariantStore(db.database(), () -> 24).check(10_000)))
                    .as("seed " + seed)
                    .allSatisfy(finding -> assertThat(finding.count())
                            .as(finding.invariant().name())
                            .isZero());
            rows.clearJobs();
        }

        private void create(Random random) {
            var ids = new ArrayList<UUID>();
            for (var node : graph.nodes) {
                var parents = node.parents().stream().map(ids::get).toArray(UUID[]::new);
                var job = parents.length == 0
                        ? DependencyBed.job()
                        : DependencyBed.child(DependencyBed.on(node.rule(), parents));
                numbers.put(job.id(), node.number());
                var _ = beds.get(random.nextInt(PROCESSES)).create(job);
                ids.add(job.id());
                if (node.isCancelled()) {
                    cancel(job.id(), node.number());
                }
            }
        }

        /** One that has begun is left to end. */
        private void cancel(UUID id, int number) {
            var cancelling = Stores.cancelling(db.database(), new CancelSignal());
            // Before it, since a child may begin as soon as it is done.
            ended.add(number);
            if (awaitRepeated(() -> cancelling.cancel(id, false))) {
                cancelled.add(number);
            }
        }

        private void work(DependencyBed bed) {
            while (!isOver.get()) {
                for (var claim : bed.claim(3)) {
                    var number = requireNonNull(numbers.get(claim.executionId()));
                    begun.merge(number, 1, Integer::sum);
                    if (!graph.mayBegin(number, finished())) {
                        faults.add("job " + number + " began too early");
                    }
                    ended.add(number);
                    // Some processes die right after an end, and others have to release.
                    bed.end(
                            claim,
                            graph.nodes.get(number).succeeds(),
                            claim.executionId().hashCode() % 4 == 0);
                }
            }
        }

        private int number(Row row) {
            return requireNonNull(numbers.get(row.getUUID("execution_id")));
        }

        /** With those that were skipped, of which only the database knows. */
        private Set<Integer> finished() {
            var all = ConcurrentHashMap.<Integer>newKeySet();
            all.addAll(ended);
            db.rows("SELECT execution_id FROM executions WHERE status = 'SKIPPED'")
                    .forEach(row -> all.add(number(row)));
            return all;
        }

        private Map<Integer, String> found() {
            var found = new HashMap<Integer, String>();
            db.rows("SELECT execution_id, status FROM executions")
                    .forEach(row -> found.put(number(row), row.getString("status")));
            return found;
        }
    }
}
