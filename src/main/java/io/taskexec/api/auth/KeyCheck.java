package io.taskexec.api.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.ApiConfig;
import io.taskexec.api.web.Caller;
import io.taskexec.api.web.RequestRate;
import io.taskexec.model.audit.ClientNetwork;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.secret.ApiKeys;
import io.taskexec.store.auth.ApiKeyStore;
import io.taskexec.store.auth.ApiKeyStore.ValidKey;
import io.taskexec.store.sql.Once;
import jakarta.inject.Singleton;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The API keys that are valid, and how much each may ask for. A key is looked for by its SHA-256, so that the time of
 * that says nothing about how much of a key is right.
 */
@Singleton
class KeyCheck {
    private static final Logger LOG = Logger.getLogger(KeyCheck.class);
    private static final int MAX_ENTRIES = 10_000;
    /** The time that a revoked key may still be used. */
    private static final Duration VALID_FOR = Duration.ofSeconds(10);

    private static final Duration UNKNOWN_FOR = Duration.ofSeconds(2);
    /** The limit of cached keys; with more keys, each one is looked up. */
    private static final int MAX_STORED = 100_000;

    private static final Duration BETWEEN_TOUCHES = Duration.ofMinutes(1);

    private final ApiKeyStore store;
    private final byte @Nullable [] bootstrapKey;
    private final int perSec;
    private final WrongKeys wrongKeys;
    private final Uni<Set<ByteBuffer>> stored;
    private final Cache<ByteBuffer, Known> valid = cache(VALID_FOR);
    private final Cache<ByteBuffer, Boolean> unknown = cache(UNKNOWN_FOR);
    private final Cache<String, Boolean> touched = cache(BETWEEN_TOUCHES);
    // A bucket that was not used for a second equals a new one.
    private final Cache<String, RequestRate> buckets = Caffeine.newBuilder()
            .maximumSize(MAX_ENTRIES)
            .expireAfterAccess(Duration.ofSeconds(10))
            .build();

    /** @param until of {@link System#nanoTime} */
    private record Known(Caller caller, long until) {}

    KeyCheck(ApiConfig config, ApiKeyStore store) {
        this.store = store;
        this.bootstrapKey = config.apiKey().map(ApiKeys::fingerprint).orElse(null);
        this.perSec = config.rateLimitPerSec();
        this.wrongKeys = new WrongKeys(config.wrongKeysPerMin(), System::nanoTime);
        this.stored = Once.during(UNKNOWN_FOR, store.fingerprints(MAX_STORED));
    }

    private static <K, V> Cache<K, V> cache(Duration timeToLive) {
        return Caffeine.newBuilder()
                .maximumSize(MAX_ENTRIES)
                .expireAfterWrite(timeToLive)
                .build();
    }

    /** Returns the caller of a key that is cached. */
    @Nullable
    Caller known(String key) {
        var fingerprint = ApiKeys.fingerprint(key);
        if (bootstrapKey != null && MessageDigest.isEqual(bootstrapKey, fingerprint)) {
            return Caller.BOOTSTRAP;
        }
        var known = valid.getIfPresent(ByteBuffer.wrap(fingerprint));
        if (known == null || System.nanoTime() - known.until() >= 0) {
            return null;
        }
        touch(known.caller());
        return known.caller();
    }

    /**
     * Returns the caller of a key; empty when it is unknown, expired or revoked. After many such keys of a client,
     * another one fails with RATE_LIMITED and is not looked up; keys that are stored are, so that who shares an address
     * with a stranger is not refused for that.
     */
    Uni<Optional<Caller>> lookUp(String key, ClientNetwork from) {
        var fingerprint = ApiKeys.fingerprint(key);
        if (!ApiKeys.isWellFormed(key) || unknown.getIfPresent(ByteBuffer.wrap(fingerprint)) != null) {
            return Uni.createFrom().item(() -> wrong(from));
        }
        if (wrongKeys.secondsToWait(from) == 0) {
            return find(fingerprint, from);
        }
        return stored.chain(all -> all.size() >= MAX_STORED || all.contains(ByteBuffer.wrap(fingerprint))
                ? find(fingerprint, from)
                : Uni.createFrom().item(() -> wrong(from)));
    }

    private Uni<Optional<Caller>> find(byte[] fingerprint, ClientNetwork from) {
        return store.findValid(fingerprint).map(found -> {
            if (found.isEmpty()) {
                unknown.put(ByteBuffer.wrap(fingerprint), true);
                return wrong(from);
            }
            return Optional.of(remember(fingerprint, found.get()));
        });
    }

    private Optional<Caller> wrong(ClientNetwork from) {
        wrongKeys.add(from);
        var seconds = wrongKeys.secondsToWait(from);
        if (seconds > 0) {
            throw ApiException.retryAfter(
                    seconds,
                    ErrorCode.RATE_LIMITED,
                    "Too many wrong API keys have come from your address; try again in %d s.".formatted(seconds));
        }
        return Optional.empty();
    }

    private Caller remember(byte[] fingerprint, ValidKey key) {
        var caller = new Caller(key.name(), key.id(), key.scopes(), key.endpoints());
        var remaining = key.remaining();
        var period = remaining == null || remaining.compareTo(VALID_FOR) > 0 ? VALID_FOR : remaining;
        valid.put(ByteBuffer.wrap(fingerprint), new Known(caller, System.nanoTime() + period.toNanos()));
        touch(caller);
        return caller;
    }

    /** Beside the request, which neither waits for it nor fails with it. */
    private void touch(Caller caller) {
        var id = caller.keyId();
        if (id != null && touched.asMap().putIfAbsent(id, true) == null) {
            store.touch(id)
                    .subscribe()
                    .with(_ -> {}, failure -> LOG.warnf(failure, "the last use of API key %s is not recorded", id));
        }
    }

    /** This process stops taking the key at once; others within the time for which they remember it. */
    void forget(String keyId) {
        valid.asMap().values().removeIf(known -> keyId.equals(known.caller().keyId()));
    }

    boolean mayRequest(Caller caller) {
        return perSec == 0
                || buckets.get(caller.id(), _ -> new RequestRate(perSec)).take(System.nanoTime());
    }
}
