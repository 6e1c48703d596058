package io.taskexec.api.auth;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.ApiConfig;
import io.taskexec.api.web.Caller;
import io.taskexec.model.audit.ClientNetwork;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.secret.ApiKeys;
import io.taskexec.store.auth.ApiKeyStore;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against the real table of keys. */
@StoreTest(clearJobs = false)
class KeyCheckTest {
    private static final int MOST = 20;
    private static final ClientNetwork STRANGER = ClientNetwork.of("203.0.113.7");

    @Inject
    private static TestDb db;

    private static ApiKeyStore store;

    private KeyCheck check;

    record Limited() implements ApiConfig {
        @Override
        public Optional<String> apiKey() {
            return Optional.of("the-bootstrap-key-of-this-test");
        }

        @Override
        public int rateLimitPerSec() {
            return 0;
        }

        @Override
        public int wrongKeysPerMin() {
            return MOST;
        }

        @Override
        public int eventsMaxStreams() {
            return 1;
        }

        @Override
        public Dashboard ui() {
            return Dashboard.OFF;
        }

        @Override
        public Optional<String> uiTraceUrl() {
            return Optional.empty();
        }
    }

    @BeforeAll
    static void open() {
        store = new ApiKeyStore(db.database());
    }

    @BeforeEach
    void knowNoKey() {
        check = new KeyCheck(new Limited(), store);
    }

    private static String stored(String name) {
        var key = ApiKeys.generate();
        var _ = await(store.create(
                ApiKeys.generateId(),
                name,
                ApiKeys.fingerprint(key),
                new ApiKeyStore.Permit(Set.of(KeyScope.READ), null),
                Duration.ofHours(1)));
        return key;
    }

    private Uni<Optional<Caller>> ask(String key, ClientNetwork from) {
        return check.lookUp(key, from);
    }

    private void exhaust(ClientNetwork from) {
        for (var n = 0; n < MOST; n++) {
            assertThat(await(ask(ApiKeys.generate(), from))).isEmpty();
        }
    }

    @Test
    void afterManyWrongKeysAnotherOneIsToldToWait() {
        exhaust(STRANGER);

        for (var wrong : new String[] {ApiKeys.generate(), "not even well-formed"}) {
            assertThatExceptionOfType(ApiException.class)
                    .isThrownBy(() -> await(ask(wrong, STRANGER)))
                    .satisfies(refused -> {
                        assertThat(refused.code()).isEqualTo(ErrorCode.RATE_LIMITED);
                        assertThat(Long.parseLong(
                                        String.valueOf(refused.headers().get(ApiException.RETRY_AFTER))))
                                .isBetween(1L, 60L);
                        assertThat(refused).hasMessageContaining("Too many wrong API keys");
                    });
        }
        assertThat(await(ask(ApiKeys.generate(), ClientNetwork.of("203.0.113.8"))))
                .as("from another address")
                .isEmpty();
    }

    @Test
    void rightKeysOfTheSameAddressPassThoughNothingIsKnownOfThem() {
        var used = stored("used-before");
        var fresh = stored("never-used");
        assertThat(await(ask(used, STRANGER))).isPresent();
        exhaust(STRANGER);
        assertThatExceptionOfType(ApiException.class).isThrownBy(() -> await(ask(ApiKeys.generate(), STRANGER)));

        assertThat(check.known(used)).isNotNull();
        assertThat(check.known(fresh)).isNull();
        assertThat(await(ask(fresh, STRANGER)).orElseThrow().name()).isEqualTo("never-used");
        assertThat(check.known("the-bootstrap-key-of-this-test")).isNotNull();
    }

    /** What is stored is read every two seconds, which may be over in between. */
    @Test
    void theDatabaseIsNotAskedForWrongKeysOfAnAddressThatHasSentMany() throws InterruptedException {
        exhaust(STRANGER);
        assertThat(refusal()).isInstanceOf(ApiException.class);

        Eventually.await("an answer without the database", Duration.ofSeconds(20), () -> {
            assertThat(refusal()).isInstanceOf(ApiException.class);
            db.execute("ALTER TABLE api_keys RENAME TO api_keys_away");
            try {
                return refusal() instanceof ApiException;
            } finally {
                db.execute("ALTER TABLE api_keys_away RENAME TO api_keys");
            }
        });
    }

    private Throwable refusal() {
        return catchThrowable(() -> await(ask(ApiKeys.generate(), STRANGER)));
    }

    @Test
    void tenClientsAtOnceDoNotGetMoreThanOne() throws InterruptedException {
        var told = new ConcurrentLinkedQueue<String>();
        var clients = IntStream.range(0, 10)
                .mapToObj(_ -> Thread.ofVirtual().start(() -> {
                    for (var n = 0; n < MOST; n++) {
                        try {
                            told.add(await(ask(ApiKeys.generate(), STRANGER)).isEmpty() ? "wrong" : "right");
                        } catch (ApiException e) {
                            told.add(e.code().toString());
                        }
                    }
                }))
                .toList();
        for (var client : clients) {
            client.join();
        }

        assertThat(told).hasSize(10 * MOST).containsOnly("wrong", "RATE_LIMITED");
        assertThat(told).filteredOn("wrong"::equals).hasSize(MOST);
    }

    @Test
    void aMinuteLaterWrongKeysAreLookedAtAgain() {
        var now = new AtomicLong();
        var wrong = new WrongKeys(2, now::get);
        for (var n = 0; n < 3; n++) {
            assertThat(wrong.secondsToWait(STRANGER)).isZero();
            wrong.add(STRANGER);
        }
        assertThat(wrong.secondsToWait(STRANGER)).isEqualTo(60);

        now.addAndGet(Duration.ofMillis(58_500).toNanos());
        assertThat(wrong.secondsToWait(STRANGER)).isEqualTo(2);

        now.addAndGet(Duration.ofSeconds(2).toNanos());
        assertThat(wrong.secondsToWait(STRANGER)).isZero();
    }

    @Test
    void addressesThatOneMachineCanChooseAmongAreOne() {
        assertThat(ClientNetwork.of("2001:db8:1:2:3:4:5:6"))
                .isEqualTo(ClientNetwork.of("2001:db8:1:2::1"))
                .isNotEqualTo(ClientNetwork.of("2001:db8:1:3::1"));
        assertThat(ClientNetwork.of("fe80::1%eth0")).isEqualTo(ClientNetwork.of("fe80::2"));
        assertThat(ClientNetwork.of("::ffff:203.0.113.7")).isEqualTo(STRANGER);
        assertThat(ClientNetwork.of("null")).isNotEqualTo(STRANGER);
    }
}
