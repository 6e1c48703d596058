package io.taskexec.store.endpoint;

import static io.taskexec.testing.Rows.json;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.endpoint.Config;
import io.taskexec.store.endpoint.PageQuery.Position;
import io.taskexec.store.sql.NameTakenException;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest(clearJobs = false)
class ConfigStoreTest {
    @Inject
    private static TestDb db;

    private static ConfigStore store;

    @BeforeAll
    static void open() {
        store = new ConfigStore(db.database());
    }

    @BeforeEach
    void clear() {
        db.execute("DELETE FROM configs");
        db.execute("DELETE FROM config_versions");
    }

    @CanIgnoreReturnValue
    private static Config create(String name, String values) {
        return await(store.create(name, json(values)));
    }

    @Test
    void aConfigIsReadBackAsItWasWritten() {
        var created = create("mail", "{'z': 12.50, 'a': [1, null, true]}");

        assertThat(created.version()).isEqualTo(1);
        assertThat(created.values()).hasToString("{\"z\":12.50,\"a\":[1,null,true]}");
        assertThat(await(store.find("mail"))).isEqualTo(created);
        assertThat(await(store.values("mail", 1))).isEqualTo(created.values());
        assertThat(await(store.find("none"))).isNull();
        assertThat(await(store.values("mail", 2))).isNull();
    }

    @Test
    void anUpdateMakesANewVersionAndKeepsTheOldOne() {
        create("mail", "{'v': 1}");

        var updated = Objects.requireNonNull(await(store.update("mail", json("{'v': 2}"), Precondition.NONE)));

        assertThat(updated.version()).isEqualTo(2);
        assertThat(updated.updatedAt()).isAfter(updated.createdAt());
        assertThat(await(store.find("mail"))).isEqualTo(updated);
        assertThat(await(store.values("mail", 1))).hasToString("{\"v\":1}");
        assertThat(await(store.update("none", json("{}"), Precondition.NONE))).isNull();
    }

    @Test
    void aVersionNeverRepeatsEvenAfterADelete() {
        create("mail", "{'v': 1}");
        assertThat(await(store.update("mail", json("{'v': 2}"), Precondition.NONE)))
                .isNotNull();
        assertThat(await(store.delete("mail", Precondition.NONE))).isTrue();
        assertThat(await(store.delete("mail", Precondition.NONE))).isFalse();

        assertThat(create("mail", "{'v': 3}").version()).isEqualTo(3);
        assertThat(await(store.values("mail", 2))).hasToString("{\"v\":2}");
    }

    @Test
    void aNameThatIsTakenIsRefusedAndNothingChanges() {
        var first = create("mail", "{'v': 1}");

        assertThatThrownBy(() -> create("mail", "{'v': 2}")).isInstanceOf(NameTakenException.class);
        assertThat(await(store.find("mail"))).isEqualTo(first);
        assertThat(db.number("SELECT count(*) FROM config_versions")).isEqualTo(1);
    }

    @Test
    void updatesAtOnceEachGetAVersionOfTheirOwn() {
        create("mail", "{}");

        var versions = await(Uni.join()
                .all(IntStream.range(0, 10)
                        .mapToObj(_ -> store.update("mail", json("{}"), Precondition.NONE)
                                .map(config -> Objects.requireNonNull(config).version()))
                        .toList())
                .andFailFast());

        assertThat(versions)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(2, 12).boxed().toList());
    }

    @Test
    void aListIsStableWhileOthersAreCreatedAndDeleted() {
        var expected = new ArrayList<String>();
        for (var i = 0; i < 6; i++) {
            expected.addFirst(create("c" + i, "{}").name());
        }

        var seen = new ArrayList<String>();
        Position after = null;
        do {
            var page = await(store.list(new PageQuery(2, after)));
            page.items().forEach(config -> seen.add(config.name()));
            after = page.next();
            create("new" + seen.size(), "{}");
            // The item that the next page starts after may be gone by then.
            assertThat(await(store.delete(seen.getLast(), Precondition.NONE))).isTrue();
        } while (after != null);

        assertThat(seen).containsExactlyElementsOf(expected);
    }
}
