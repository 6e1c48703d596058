package io.taskexec.store.auth;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.audit.AuditEntry;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest(clearJobs = false)
class AuditStoreTest {
    @Inject
    private static TestDb db;

    private static AuditStore store;

    @BeforeAll
    static void open() {
        store = new AuditStore(db.database());
    }

    @BeforeEach
    void clear() {
        db.execute("TRUNCATE audit_log");
    }

    private static AuditStore.Write write(String actor, String kind, String resource) {
        return AuditStore.Write.of(actor, "update", kind, resource, "req_1", "192.0.2.7", "{\"key_id\":\"key_1\"}");
    }

    private static AuditStore.Filter by(@Nullable String actor, @Nullable String kind) {
        return new AuditStore.Filter(actor, kind);
    }

    @Test
    void anEntryComesBackAsItWasRecorded() {
        await(store.record(write("ci", "config", "prices")));

        var entry = await(store.list(by(null, null), 10, null)).items().getFirst();

        assertThat(entry)
                .extracting(
                        AuditEntry::actor,
                        AuditEntry::action,
                        AuditEntry::resourceKind,
                        AuditEntry::resource,
                        AuditEntry::requestId,
                        AuditEntry::remoteAddress)
                .containsExactly("ci", "update", "config", "prices", "req_1", "192.0.2.7");
        assertThat(entry.details()).hasToString("{\"key_id\":\"key_1\"}");
    }

    @Test
    void recordingTheSameWriteTwiceIsRecordingItOnce() {
        var write = write("ci", "config", "prices");

        await(store.record(write));
        await(store.record(write));

        assertThat(db.number("SELECT count(*) FROM audit_log")).isEqualTo(1);
    }

    @Test
    void whatCannotBeStoredDoesNotTakeTheOthersWithIt() {
        var writes = IntStream.range(0, 50)
                .mapToObj(i -> store.record(write("ci", "config", i == 25 ? "\0" : "n" + i)))
                .toList();

        var _ = await(Uni.join()
                .all(writes)
                .andCollectFailures()
                .replaceWithVoid()
                .onFailure()
                .recoverWithNull());

        assertThat(db.number("SELECT count(*) FROM audit_log")).isEqualTo(49);
    }

    @Test
    void theLogIsReadNewestFirstPageByPage() {
        IntStream.range(0, 5).forEach(i -> await(store.record(write("ci", "config", "n" + i))));

        var first = await(store.list(by(null, null), 3, null));
        var second = await(store.list(by(null, null), 3, first.next()));

        assertThat(first.items()).extracting(AuditEntry::resource).containsExactly("n4", "n3", "n2");
        assertThat(second.items()).extracting(AuditEntry::resource).containsExactly("n1", "n0");
        assertThat(second.next()).isNull();
    }

    @Test
    void theLogIsFilteredByActorAndKind() {
        await(store.record(write("ci", "config", "a")));
        await(store.record(write("ci", "secret", "b")));
        await(store.record(write("ops", "config", "c")));

        assertThat(await(store.list(by("ci", null), 10, null)).items())
                .extracting(AuditEntry::resource)
                .containsExactly("b", "a");
        assertThat(await(store.list(by(null, "config"), 10, null)).items())
                .extracting(AuditEntry::resource)
                .containsExactly("c", "a");
        assertThat(await(store.list(by("ops", "secret"), 10, null)).items()).isEmpty();
    }
}
