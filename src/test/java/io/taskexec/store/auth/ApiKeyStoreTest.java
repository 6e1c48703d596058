package io.taskexec.store.auth;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.audit.ApiKey;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.store.auth.ApiKeyStore.Permit;
import io.taskexec.store.endpoint.PageQuery;
import io.taskexec.store.sql.NameTakenException;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest(clearJobs = false)
class ApiKeyStoreTest {
    @Inject
    private static TestDb db;

    private static ApiKeyStore store;

    @BeforeAll
    static void open() {
        store = new ApiKeyStore(db.database());
    }

    @BeforeEach
    void clear() {
        db.execute("DELETE FROM api_keys");
    }

    private static byte[] fingerprint(String id) {
        return ("fingerprint of " + id).getBytes(StandardCharsets.UTF_8);
    }

    @CanIgnoreReturnValue
    private static ApiKey create(String id, String name) {
        return await(
                store.create(id, name, fingerprint(id), new Permit(Set.of(KeyScope.READ, KeyScope.JOBS), null), null));
    }

    private static ApiKey find(String id) {
        return await(store.find(id).map(Objects::requireNonNull));
    }

    private static Optional<ApiKeyStore.ValidKey> valid(String id) {
        return await(store.findValid(fingerprint(id)));
    }

    @Test
    void aKeyIsFoundByItsFingerprint() {
        create("k1", "ci");

        var found = valid("k1").orElseThrow();

        assertThat(found.id()).isEqualTo("k1");
        assertThat(found.name()).isEqualTo("ci");
        assertThat(found.scopes()).containsExactlyInAnyOrder(KeyScope.READ, KeyScope.JOBS);
        assertThat(found.remaining()).isNull();
        assertThat(valid("k2")).isEmpty();
    }

    @Test
    void keysLookedUpTogetherAreNotMixedUp() {
        IntStream.range(0, 20).forEach(i -> create("k" + i, "n" + i));

        var found = await(Uni.join()
                .all(IntStream.range(0, 40)
                        .mapToObj(i -> store.findValid(fingerprint("k" + i)))
                        .toList())
                .andFailFast());

        IntStream.range(0, 40)
                .forEach(i -> assertThat(found.get(i).map(ApiKeyStore.ValidKey::id))
                        .isEqualTo(i < 20 ? Optional.of("k" + i) : Optional.empty()));
    }

    @Test
    void aKeyIsValidUntilItExpiresByTheClockOfTheDatabase() {
        var key = await(store.create(
                "k1", "ci", fingerprint("k1"), new Permit(Set.of(KeyScope.READ), null), Duration.ofHours(1)));

        assertThat(key.expiresAt()).isEqualTo(key.createdAt().plus(Duration.ofHours(1)));
        assertThat(valid("k1").orElseThrow().remaining()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
        db.execute("UPDATE api_keys SET expires_at = now() - interval '1 second'");
        assertThat(valid("k1")).isEmpty();
    }

    @Test
    void aRevokedKeyIsNotValidButStillShown() {
        create("k1", "ci");

        assertThat(await(store.revoke("k1"))).isTrue();
        var revoked = find("k1");
        assertThat(await(store.revoke("k1"))).isTrue();

        assertThat(valid("k1")).isEmpty();
        assertThat(revoked.revokedAt()).isNotNull();
        assertThat(find("k1")).isEqualTo(revoked);
        assertThat(await(store.revoke("k2"))).isFalse();
    }

    @Test
    void aNameIsTakenUntilItsKeyIsRevoked() {
        create("k1", "ci");

        assertThatThrownBy(() -> create("k2", "ci")).isInstanceOf(NameTakenException.class);
        assertThat(await(store.revoke("k1"))).isTrue();
        create("k2", "ci");

        assertThat(await(store.list(new PageQuery(10, null))).items())
                .extracting(ApiKey::id)
                .containsExactly("k2", "k1");
    }

    @Test
    void creatingTheSameKeyTwiceIsCreatingItOnce() {
        assertThat(create("k1", "ci")).isEqualTo(create("k1", "ci"));
    }

    @Test
    void theListIsReadPageByPage() {
        create("k1", "a");
        create("k2", "b");
        create("k3", "c");

        var first = await(store.list(new PageQuery(2, null)));
        var second = await(store.list(new PageQuery(2, first.next())));

        assertThat(first.items()).extracting(ApiKey::id).containsExactly("k3", "k2");
        assertThat(second.items()).extracting(ApiKey::id).containsExactly("k1");
        assertThat(second.next()).isNull();
    }

    @Test
    void theLastUseIsWrittenOnceAMinute() {
        create("k1", "ci");
        await(store.touch("k1"));
        var first = find("k1").lastUsedAt();

        await(store.touch("k1"));
        assertThat(find("k1").lastUsedAt()).isEqualTo(first).isNotNull();
        db.execute("UPDATE api_keys SET last_used_at = last_used_at - interval '61 seconds'");
        await(store.touch("k1"));

        assertThat(find("k1").lastUsedAt()).isAfterOrEqualTo(first);
    }
}
