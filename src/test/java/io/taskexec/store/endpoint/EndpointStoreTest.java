package io.taskexec.store.endpoint;

import static io.taskexec.testing.Rows.json;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.endpoint.Callbacks;
import io.taskexec.model.endpoint.Endpoint;
import io.taskexec.model.endpoint.HttpSpec;
import io.taskexec.model.endpoint.IdentitySpec;
import io.taskexec.model.endpoint.OnWorkerLost;
import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.model.flow.FlowPolicy;
import io.taskexec.model.flow.RateLimit;
import io.taskexec.model.queue.Queue;
import io.taskexec.store.endpoint.EndpointStore.Registration;
import io.taskexec.store.endpoint.PageQuery.Position;
import io.taskexec.store.sql.InUseException;
import io.taskexec.store.sql.LimitReachedException;
import io.taskexec.store.sql.MissingReferenceException;
import io.taskexec.store.sql.NameTakenException;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class EndpointStoreTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static final FlowPolicy FLOW = new FlowPolicy(
            "{{input.tenant}}", 5, new RateLimit(100, Duration.ofMinutes(1), 20), FlowPolicy.Order.ANY, true);

    private static EndpointStore store;

    @BeforeAll
    static void open() {
        store = new EndpointStore(db.database());
    }

    @BeforeEach
    void clear() {
        for (var table : new String[] {
            "endpoint_secrets",
            "endpoints",
            "flow_policies",
            "endpoint_versions",
            "configs",
            "config_versions",
            "payload_specs",
            "secrets"
        }) {
            db.execute("DELETE FROM " + table);
        }
        var _ = db.execute("DELETE FROM queues WHERE queue_id > 0");
    }

    private static Registration registration(String name, @Nullable String spec, @Nullable String config) {
        return registration(name, "http://example.test/" + name, spec, config, Set.of());
    }

    private static Registration registration(
            String name, String url, @Nullable String payloadSpec, @Nullable String config, Set<String> secrets) {
        var spec = new HttpSpec(
                url,
                "POST",
                new LinkedHashMap<>(Map.of("X-A", "{{input.a}}")),
                json("{'z': 1.50, 'a': '{{input.a}}'}"),
                Duration.ofMillis(1234),
                List.of(200, 299),
                new IdentitySpec(List.of("one", "two"), "com.example.sent"));
        var retries = new RetryPolicy(7, RetryPolicy.Backoff.LINEAR, Duration.ofMillis(10), Duration.ofMillis(70));
        return new Registration(
                name,
                payloadSpec,
                config,
                "default",
                spec,
                retries,
                Callbacks.NONE,
                OnWorkerLost.FAIL,
                false,
                FLOW,
                null,
                secrets);
    }

    private static Registration inQueue(String name, String queue) {
        return plain(name, queue, Callbacks.NONE);
    }

    private static Registration reporting(String name, Callbacks callbacks) {
        return plain(name, "default", callbacks);
    }

    private static Registration plain(String name, String queue, Callbacks callbacks) {
        var one = registration(name, null, null);
        return new Registration(
                name,
                null,
                null,
                queue,
                one.spec(),
                one.retryPolicy(),
                callbacks,
                OnWorkerLost.RETRY,
                false,
                null,
                null,
                Set.of());
    }

    @CanIgnoreReturnValue
    private static Endpoint create(String name) {
        return await(store.create(registration(name, null, null)));
    }

    @Test
    void whatIsRegisteredIsReadBackAsItWas() {
        rows.config("mail", "{}");
        rows.payloadSpec("shape", 1);
        var wanted = registration("full", "shape", "mail");

        var created = await(store.create(wanted));

        assertThat(created.version()).isEqualTo(1);
        assertThat(created.spec()).isEqualTo(wanted.spec());
        assertThat(created.spec().toJson()).hasToString(wanted.spec().toJson().toString());
        assertThat(created.retryPolicy()).isEqualTo(wanted.retryPolicy());
        assertThat(created.config()).isEqualTo("mail");
        assertThat(created.flow()).isEqualTo(FLOW);
        assertThat(created.payloadSpec()).isEqualTo("shape");
        assertThat(await(store.find("full"))).isEqualTo(created);
        assertThat(await(store.find("none"))).isNull();
    }

    @Test
    void theLimitsThatHoldAreThoseOfTheCurrentVersion() {
        var limited = registration("limited", null, null);
        await(store.create(limited));

        assertThat(db.row("SELECT (max_concurrency, rate_spacing_us, rate_burst, fifo, fair)::text AS limits FROM"
                                + " flow_policies")
                        .getString("limits"))
                .isEqualTo("(5,600000,20,f,t)");

        await(store.update(inQueue("limited", "default"), Precondition.NONE));

        assertThat(db.number("SELECT count(*) FROM flow_policies")).isZero();
    }

    @Test
    void anUpdateMakesANewVersionAndKeepsTheOldOne() {
        var first = create("one");
        var second =
                await(store.update(registration("one", "http://other.test/", null, null, Set.of()), Precondition.NONE));

        assertThat(Objects.requireNonNull(second).version()).isEqualTo(2);
        assertThat(await(store.find("one"))).isEqualTo(second);
        assertThat(Objects.requireNonNull(await(store.find("one", 1))).spec()).isEqualTo(first.spec());
        assertThat(await(store.find("one", 3))).isNull();
        assertThat(await(store.update(registration("none", null, null), Precondition.NONE)))
                .isNull();
    }

    @Test
    void whoGetsResultsMustExistAndStaysAsLongAsItIsNamed() {
        create("good");
        create("bad");
        var both = new Callbacks("good", "bad");
        assertThat(await(store.create(reporting("one", both))).callbacks()).isEqualTo(both);
        assertThat(Objects.requireNonNull(await(store.find("one", 1))).callbacks())
                .isEqualTo(both);

        assertThatThrownBy(() -> await(store.create(reporting("two", new Callbacks(null, "none")))))
                .isInstanceOfSatisfying(
                        MissingReferenceException.class,
                        e -> assertThat(e.kind()).isEqualTo(MissingReferenceException.Kind.ON_FAILURE));
        assertThatThrownBy(() -> await(store.delete("good", Precondition.NONE))).isInstanceOf(InUseException.class);

        var _ = await(store.update(reporting("one", Callbacks.NONE), Precondition.NONE));
        assertThat(await(store.delete("good", Precondition.NONE))).isTrue();
    }

    @Test
    void aQueueComesIntoBeingWhenItIsNamedAndIsTheSameForAll() {
        var results = await(Uni.join()
                .all(IntStream.range(0, 12)
                        .mapToObj(i -> store.create(inQueue("queued" + i, "queue" + i % 4)))
                        .toList())
                .andFailFast());

        assertThat(results.stream().map(Endpoint::queue).distinct()).hasSize(4);
        assertThat(create("unqueued").queue()).isEqualTo(Queue.DEFAULT);
        assertThat(db.number("SELECT count(*) FROM queues")).isEqualTo(5);
    }

    @Test
    void thereAreNoMoreQueuesThanTheLimit() {
        for (var i = 1; i < QueueStore.MAX_QUEUES; i++) {
            db.execute("INSERT INTO queues (queue_id, name) VALUES ($1, $2)", 1000 + i, "q" + i);
        }

        assertThatThrownBy(() -> await(store.create(inQueue("one", "one-too-many"))))
                .isInstanceOf(LimitReachedException.class);
        assertThat(await(store.find("one"))).isNull();
        assertThat(await(store.create(inQueue("one", "q7"))).queue()).isEqualTo(new Queue(1007, "q7"));
    }

    @Test
    void aNameThatIsTakenIsRefusedAndNothingChanges() {
        var first = create("one");

        assertThatThrownBy(() -> create("one"))
                .isInstanceOf(NameTakenException.class)
                .hasMessage("one");
        assertThat(await(store.find("one"))).isEqualTo(first);
        assertThat(db.number("SELECT count(*) FROM endpoint_versions")).isEqualTo(1);
    }

    @Test
    void ofManyThatCreateOneNameAtOnceOneWins() {
        var results = await(Uni.join()
                .all(IntStream.range(0, 10)
                        .mapToObj(_ -> store.create(registration("race", null, null))
                                .map(Endpoint::version)
                                .onFailure(NameTakenException.class)
                                .recoverWithItem(0))
                        .toList())
                .andFailFast());

        assertThat(results).containsOnlyOnce(1).contains(0).hasSize(10);
    }

    @Test
    void updatesAtOnceEachGetAVersionOfTheirOwn() {
        create("busy");

        var versions = await(Uni.join()
                .all(IntStream.range(0, 10)
                        .mapToObj(_ -> store.update(registration("busy", null, null), Precondition.NONE)
                                .map(endpoint ->
                                        Objects.requireNonNull(endpoint).version()))
                        .toList())
                .andFailFast());

        assertThat(versions)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(2, 12).boxed().toList());
    }

    @Test
    void aVersionNeverRepeatsEvenAfterADelete() {
        create("one");
        assertThat(await(store.update(registration("one", null, null), Precondition.NONE)))
                .isNotNull();
        assertThat(await(store.delete("one", Precondition.NONE))).isTrue();
        assertThat(await(store.find("one"))).isNull();
        assertThat(await(store.find("one", 2))).isNotNull();

        assertThat(create("one").version()).isEqualTo(3);
        assertThat(await(store.delete("never was", Precondition.NONE))).isFalse();
    }

    @Test
    void aMissingReferenceIsNamedByItsKind() {
        assertThatThrownBy(() -> await(store.create(registration("x", "none", null))))
                .isInstanceOfSatisfying(
                        MissingReferenceException.class,
                        e -> assertThat(e.kind()).isEqualTo(MissingReferenceException.Kind.PAYLOAD_SPEC));
        assertThatThrownBy(() -> await(store.create(registration("x", null, "none"))))
                .isInstanceOfSatisfying(
                        MissingReferenceException.class,
                        e -> assertThat(e.kind()).isEqualTo(MissingReferenceException.Kind.CONFIG));
        assertThatThrownBy(() -> await(store.create(registration("x", "http://x.test/", null, null, Set.of("none")))))
                .isInstanceOfSatisfying(
                        MissingReferenceException.class,
                        e -> assertThat(e.kind()).isEqualTo(MissingReferenceException.Kind.SECRET));
        assertThat(await(store.find("x"))).isNull();
        assertThat(db.number("SELECT count(*) FROM endpoint_versions")).isZero();

        var kept = create("y");
        assertThatThrownBy(() -> await(store.update(registration("y", null, "none"), Precondition.NONE)))
                .isInstanceOf(MissingReferenceException.class);
        assertThat(await(store.find("y"))).isEqualTo(kept);
    }

    @Test
    void anEndpointWithUnfinishedJobsCannotBeDeleted() {
        create("busy");
        create("idle");
        var live = rows.live().endpoint("busy").dueIn(Duration.ofDays(9)).insert();

        assertThatThrownBy(() -> await(store.delete("busy", Precondition.NONE))).isInstanceOf(InUseException.class);
        assertThat(await(store.delete("idle", Precondition.NONE))).isTrue();
        db.execute("DELETE FROM exec_live WHERE execution_id = $1", live);
        assertThat(await(store.delete("busy", Precondition.NONE))).isTrue();
    }

    @Test
    void whatAnEndpointRefersToCannotBeDeletedUntilItNoLongerDoes() {
        var configs = new ConfigStore(db.database());
        var secrets = new SecretStore(db.database());
        var specs = new PayloadSpecStore(db.database());
        rows.config("mail", "{}");
        rows.payloadSpec("shape", 1);
        assertThat(await(secrets.create("key", new byte[] {1}))).isNotNull();
        var wanted = registration("user", "http://x.test/", "shape", "mail", Set.of("key"));
        assertThat(await(store.create(wanted))).isNotNull();

        assertThatThrownBy(() -> await(configs.delete("mail", Precondition.NONE)))
                .isInstanceOf(InUseException.class);
        assertThatThrownBy(() -> await(specs.delete("shape", Precondition.NONE)))
                .isInstanceOf(InUseException.class);
        assertThatThrownBy(() -> await(secrets.delete("key", Precondition.NONE)))
                .isInstanceOf(InUseException.class);
        assertThat(await(store.update(registration("user", null, null), Precondition.NONE)))
                .isNotNull();
        assertThat(await(configs.delete("mail", Precondition.NONE))).isTrue();
        assertThat(await(specs.delete("shape", Precondition.NONE))).isTrue();
        assertThat(await(secrets.delete("key", Precondition.NONE))).isTrue();
    }

    @Test
    void deletingAnEndpointFreesItsSecrets() {
        var secrets = new SecretStore(db.database());
        assertThat(await(secrets.create("key", new byte[] {1}))).isNotNull();
        var wanted = registration("user", "http://x.test/", null, null, Set.of("key"));
        assertThat(await(store.create(wanted))).isNotNull();

        assertThat(await(store.delete("user", Precondition.NONE))).isTrue();
        assertThat(await(secrets.delete("key", Precondition.NONE))).isTrue();
    }

    @Test
    void aListIsStableWhileOthersAreCreated() {
        var expected = new ArrayList<String>();
        for (var i = 0; i < 5; i++) {
            expected.addFirst(create("e" + i).name());
        }
        // Two that were created at the same moment are told apart by their names.
        db.execute("UPDATE endpoints SET created_at ="
                + " (SELECT created_at FROM endpoints WHERE name = 'e2') WHERE name = 'e1'");

        var seen = new ArrayList<String>();
        Position after = null;
        do {
            var page = await(store.list(new PageQuery(2, after)));
            page.items().forEach(endpoint -> seen.add(endpoint.name()));
            after = page.next();
            create("new" + seen.size());
        } while (after != null);

        assertThat(seen).containsExactlyElementsOf(expected);
    }
}
