package io.taskexec.dispatch.egress;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * Remembers the addresses of host names for a short while. Callers that ask for a name while its lookup is under way
 * share that lookup; a failed lookup is forgotten at once.
 */
public final class AddressCache {
    public static final Duration LIFE = Duration.ofSeconds(30);
    static final int CAPACITY = 10_000;

    private final HostLookup lookup;
    private final Executor blocking;
    private final AsyncCache<String, List<InetAddress>> addresses;

    public AddressCache(HostLookup lookup, Executor blocking, LongSupplier nanoTime) {
        this.lookup = lookup;
        this.blocking = blocking;
        this.addresses = Caffeine.newBuilder()
                .maximumSize(CAPACITY)
                .expireAfterWrite(LIFE)
                .ticker(nanoTime::getAsLong)
                .buildAsync();
    }

    /** The addresses of {@code host}, or {@link UnknownHostException}. */
    CompletableFuture<List<InetAddress>> get(String host) {
        return addresses.get(host, (name, _) -> CompletableFuture.supplyAsync(() -> ask(name), blocking));
    }

    private List<InetAddress> ask(String host) {
        try {
            return lookup.addresses(host);
        } catch (UnknownHostException e) {
            throw new CompletionException(e);
        }
    }
}
