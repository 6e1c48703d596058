package io.taskexec.store.endpoint;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.taskexec.model.audit.Secret;
import io.taskexec.store.sql.NameTakenException;
import io.taskexec.testing.TestDb;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SecretStoreTest {
    private static final byte[] VALUE = {0, 1, -1, 127, -128};

    private static TestDb db;
    private static SecretStore store;

    @BeforeAll
    static void open() {
        db = TestDb.fresh();
        store = new SecretStore(db.database());
    }

    @AfterAll
    static void close() {
        db.close();
    }

    @BeforeEach
    void clear() {
        db.execute("DELETE FROM secrets");
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
