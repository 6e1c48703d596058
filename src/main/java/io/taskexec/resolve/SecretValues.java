package io.taskexec.resolve;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.smallrye.mutiny.Uni;
import io.taskexec.secret.Redaction;
import io.taskexec.secret.SecretCipher;
import io.taskexec.store.endpoint.SecretStore;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Decrypted secrets. A claim carries the epoch of its moment, which changes with every secret, so a value is never
 * older than the claim; the time to live only bounds how long plaintext stays in memory.
 */
@Singleton
public final class SecretValues {
    private static final int MAX_ENTRIES = 10_000;
    private static final CompletableFuture<Known> NONE =
            CompletableFuture.completedFuture(new Known(Map.of(), Redaction.NONE));

    private final SecretStore store;
    private final SecretCipher cipher;
    private final AsyncCache<Key, Known> cache;

    private record Key(long epoch, Set<String> names) {}

    /**
     * Secrets that are decrypted.
     *
     * @param byName their values
     * @param redaction takes them out of texts; to make it takes longer than a delivery
     */
    record Known(Map<String, String> byName, Redaction redaction) {}

    SecretValues(SecretStore store, SecretCipher cipher, ResolveConfig config) {
        this.store = store;
        this.cipher = cipher;
        this.cache = Caffeine.newBuilder()
                .maximumSize(MAX_ENTRIES)
                .expireAfterWrite(config.secretCacheTtl())
                .buildAsync();
    }

    /**
     * The values of these secrets by name, as of {@code epoch} or newer; a name that does not exist is absent. A caller
     * must not cancel it, since others wait for the same load.
     */
    CompletableFuture<Known> values(Set<String> names, long epoch) {
        return names.isEmpty()
                ? NONE
                : cache.get(new Key(epoch, names), (key, _) -> load(key.names()).subscribeAsCompletionStage());
    }

    private Uni<Known> load(Set<String> names) {
        return store.encryptedValues(names).map(encrypted -> {
            var values = new HashMap<String, String>();
            encrypted.forEach((name, blob) -> values.put(name, cipher.decrypt(name, blob)));
            return new Known(Map.copyOf(values), Redaction.of(values.values()));
        });
    }
}
