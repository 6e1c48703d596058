package io.taskexec.store.endpoint;

import static io.taskexec.testing.Rows.json;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.endpoint.PayloadSpec;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Writes that are meant for a state, of the resource that is easiest to make; the others share the code. */
@StoreTest(clearJobs = false)
class PreconditionTest {
    @Inject
    private static TestDb db;

    private static PayloadSpecStore store;

    @BeforeAll
    static void open() {
        store = new PayloadSpecStore(db.database());
    }

    @BeforeEach
    void clear() {
        db.execute("DELETE FROM payload_specs");
    }

    private static Precondition sameAs(PayloadSpec spec) {
        return (version, createdAt) -> version == spec.version() && createdAt.equals(spec.createdAt());
    }

    private static Uni<@Nullable PayloadSpec> update(Precondition condition) {
        return store.update("shape", json("{'type': 'array'}"), condition);
    }

    @Test
    void whatIsNotInTheStateStaysAsItIs() {
        var first = await(store.create("shape", json("{}")));
        assertThat(await(update(sameAs(first)))).isNotNull();
        var second = await(store.find("shape"));

        assertThatThrownBy(() -> await(update(sameAs(first)))).isInstanceOf(PreconditionFailedException.class);
        assertThatThrownBy(() -> await(store.delete("shape", sameAs(first))))
                .isInstanceOf(PreconditionFailedException.class);

        assertThat(await(store.find("shape"))).isEqualTo(second);
    }

    @Test
    void ofWritesThatAreMeantForTheSameStateOneHappens() {
        var first = await(store.create("shape", json("{}")));

        List<String> outcomes = await(Uni.join()
                .all(IntStream.range(0, 10)
                        .mapToObj(_ -> update(sameAs(first))
                                .map(_ -> "written")
                                .onFailure(PreconditionFailedException.class)
                                .recoverWithItem("refused"))
                        .toList())
                .andFailFast());

        assertThat(outcomes).containsOnlyOnce("written").contains("refused").hasSize(10);
        assertThat(db.number("SELECT version FROM payload_specs")).isEqualTo(2);
    }

    @Test
    void aResourceThatTookThePlaceOfTheOneThatWasWaitedForIsNotWritten() throws InterruptedException {
        var first = await(store.create("shape", json("{}")));
        var other = await(db.pool().getConnection());
        try {
            var _ = await(other.query("BEGIN").execute());
            var _ = await(other.query("DELETE FROM payload_specs").execute());
            var _ = await(
                    other.preparedQuery("INSERT INTO payload_specs VALUES ('shape', 1, $1::text::json, now(), now())")
                            .execute(Tuple.of("{}")));
            var waiting = update(sameAs(first)).subscribeAsCompletionStage();
            Eventually.await(
                    "the write waits",
                    TestDb.PATIENCE,
                    () -> db.number("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0);
            var _ = await(other.query("COMMIT").execute());

            // A serializable transaction runs again, and sees the other one; any other finds nothing.
            assertThat(waiting.handle((written, failure) -> failure == null ? written : failure.getClass())
                            .join())
                    .isIn(null, PreconditionFailedException.class);
        } finally {
            await(other.close());
        }
        assertThat(db.number("SELECT version FROM payload_specs")).isEqualTo(1);
    }
}
