package io.taskexec.api.auth;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.audit.ClientNetwork;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.secret.ApiKeys;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SignedTexts;
import io.taskexec.store.auth.ApiKeyStore;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

@StoreTest(clearJobs = false)
class KeyLoginTest {
    private static final ClientNetwork PERSON = ClientNetwork.of("203.0.113.9");

    @Inject
    private static TestDb db;

    @Test
    void whoIsKnownAgainByAnIdMayDoWhatTheKeyAllows() {
        var store = new ApiKeyStore(db.database());
        var config = new KeyCheckTest.Limited();
        var login = new KeyLogin(
                new KeyCheck(config, store), store, new SignedTexts(KeyRing.parse(KeyRing.generate())), config);
        var key = ApiKeys.generate();
        var permit = new ApiKeyStore.Permit(Set.of(KeyScope.WORK), Set.of("resize"));
        var _ = await(
                store.create(ApiKeys.generateId(), "login", ApiKeys.fingerprint(key), permit, Duration.ofHours(1)));

        var caller = await(login.logIn(key, PERSON)).orElseThrow();
        assertThat(await(login.again(login.idOf(caller)))).contains(caller);
        assertThat(caller.endpoints()).containsExactly("resize");

        assertThat(await(store.revoke(Objects.requireNonNull(caller.keyId())))).isTrue();
        assertThat(await(login.again(login.idOf(caller)))).isEmpty();
    }
}
