package io.taskexec.store.endpoint;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.audit.Secret;
import io.taskexec.store.endpoint.SecretStore.Stored;
import io.taskexec.store.sql.NameTakenException;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest(clearJobs = false)
class SecretStoreTest {
    private static final byte[] VALUE = {0, 1, -1, 127, -128};

    @Inject
    private static TestDb db;

    private static SecretStore store;

    @BeforeAll
    static void open() {
        store = new SecretStore(db.database());
    }

    @BeforeEach
    void clear() {
        db.execute("DELETE FROM secrets");
        db.execute("UPDATE epochs SET value = 0 WHERE name = 'secrets'");
    }

    @CanIgnoreReturnValue
    private static Secret create(String name) {
        return await(store.create(name, VALUE));
    }

    private static long epoch() {
        return db.number("SELECT value FROM epochs WHERE name = 'secrets'");
    }

    @Test
    void theBytesComeBackAsTheyWere() {
        create("a");
        create("b");

        assertThat(await(store.encryptedValues(List.of("a", "none"))))
                .hasSize(1)
                .hasEntrySatisfying("a", bytes -> assertThat(bytes).isEqualTo(VALUE));
        assertThat(await(store.encryptedValues(List.of()))).isEmpty();
    }

    @Test
    void whatIsMissingIsNamed() {
        create("a");

        assertThat(await(store.missing(List.of("a", "b", "c")))).containsExactlyInAnyOrder("b", "c");
        assertThat(await(store.missing(List.of("a")))).isEmpty();
        assertThat(await(store.missing(List.of()))).isEmpty();
    }

    @Test
    void anUpdateReplacesTheValueAndRaisesTheVersion() {
        var created = create("a");

        var updated = Objects.requireNonNull(await(store.update("a", new byte[] {9}, Precondition.NONE)));

        assertThat(created.version()).isEqualTo(1);
        assertThat(updated.version()).isEqualTo(2);
        assertThat(updated.createdAt()).isEqualTo(created.createdAt());
        assertThat(await(store.find("a"))).isEqualTo(updated);
        assertThat(await(store.encryptedValues(List.of("a"))).get("a")).containsExactly(9);
        assertThat(await(store.update("none", VALUE, Precondition.NONE))).isNull();
    }

    @Test
    void aNameThatIsTakenIsRefusedAndTheValueStays() {
        create("a");

        assertThatThrownBy(() -> await(store.create("a", new byte[] {9}))).isInstanceOf(NameTakenException.class);
        assertThat(await(store.encryptedValues(List.of("a"))).get("a")).isEqualTo(VALUE);
    }

    @Test
    void everyChangeRaisesTheEpoch() {
        var before = epoch();
        create("a");
        assertThat(epoch()).isGreaterThan(before);
        var created = epoch();
        assertThat(await(store.update("a", VALUE, Precondition.NONE))).isNotNull();
        assertThat(epoch()).isGreaterThan(created);
        var updated = epoch();
        assertThat(await(store.delete("a", Precondition.NONE))).isTrue();
        assertThat(epoch()).isGreaterThan(updated);
        assertThat(await(store.delete("a", Precondition.NONE))).isFalse();
        assertThat(await(store.find("a"))).isNull();
    }

    /** As by a failover that loses the last commit: a cache may have a value of the epoch that was lost. */
    @Test
    void anEpochThatWasTakenBackIsNotGivenAgain() {
        create("a");
        var before = epoch();
        assertThat(await(store.update("a", VALUE, Precondition.NONE))).isNotNull();
        var lost = epoch();
        db.execute("UPDATE epochs SET value = $1 WHERE name = 'secrets'", before);

        assertThat(await(store.update("a", VALUE, Precondition.NONE))).isNotNull();

        assertThat(epoch()).isGreaterThan(lost);
    }

    /** Also one of a process of the version before, which counts, or of a clock that was ahead. */
    @Test
    void anEpochIsHigherThanTheOneBeforeWhateverTheClockSays() {
        create("a");
        var before = epoch() + Duration.ofDays(1).toMillis() * 1000;
        db.execute("UPDATE epochs SET value = $1 WHERE name = 'secrets'", before);

        assertThat(await(store.update("a", VALUE, Precondition.NONE))).isNotNull();

        assertThat(epoch()).isEqualTo(before + 1);
    }

    private static Stored stored(String name) {
        return Objects.requireNonNull(TestDb.<@Nullable Stored>await(store.stored(name)));
    }

    @Test
    void storedSecretsArePagedByName() {
        create("b");
        create("c");
        create("a");

        assertThat(await(store.storedAfter("", 2))).extracting(Stored::name).containsExactly("a", "b");
        assertThat(await(store.storedAfter("b", 2))).singleElement().satisfies(secret -> {
            assertThat(secret.name()).isEqualTo("c");
            assertThat(secret.encrypted()).isEqualTo(VALUE);
        });
        assertThat(await(store.storedAfter("c", 2))).isEmpty();
        assertThat(await(store.stored("none"))).isNull();
    }

    @Test
    void anotherEncryptionOfAValueIsNoNewVersionAndLeavesCachesValid() {
        create("a");
        var before = await(store.find("a"));
        var epoch = epoch();

        assertThat(await(store.replaceValue(stored("a"), new byte[] {9}))).isTrue();

        assertThat(stored("a").encrypted()).containsExactly(9);
        assertThat(await(store.find("a"))).isEqualTo(before);
        assertThat(epoch()).isEqualTo(epoch);
    }

    @Test
    void anUpdateSinceTheReadWins() {
        create("a");
        var read = stored("a");
        assertThat(await(store.update("a", new byte[] {7}, Precondition.NONE))).isNotNull();

        assertThat(await(store.replaceValue(read, new byte[] {9}))).isFalse();
        assertThat(stored("a").encrypted()).containsExactly(7);
        assertThat(await(store.delete("a", Precondition.NONE))).isTrue();
        assertThat(await(store.replaceValue(read, new byte[] {9}))).isFalse();
    }

    /** Five that encrypt anew and five that update: the last update stays, or an encryption of just that value. */
    @Test
    void ofTenClientsAtOnceTheUpdatesWin() {
        var names = IntStream.range(0, 20).mapToObj(i -> "s" + i).toList();
        names.forEach(SecretStoreTest::create);
        var work = new ArrayList<Uni<Boolean>>();
        for (var name : names) {
            var read = stored(name);
            for (var i = 0; i < 5; i++) {
                work.add(store.replaceValue(read, new byte[] {9}));
                work.add(store.update(name, new byte[] {(byte) i}, Precondition.NONE)
                        .replaceWith(true));
            }
        }

        var _ = await(Uni.join().all(work).andFailFast());

        assertThat(names).allSatisfy(name -> {
            assertThat(stored(name).encrypted()[0]).isBetween((byte) 0, (byte) 4);
            assertThat(Objects.requireNonNull(await(store.find(name))).version())
                    .isEqualTo(6);
        });
    }

    @Test
    void aListNeverHoldsValues() {
        create("a");
        create("b");

        assertThat(await(store.list(new PageQuery(10, null))).items())
                .extracting(Secret::name)
                .containsExactly("b", "a");
        assertThat(await(store.list(new PageQuery(1, null))).next()).isNotNull();
    }
}
