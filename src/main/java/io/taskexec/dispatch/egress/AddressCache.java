package io.taskexec.dispatch.egress;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Cache;
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
 * share that lookup; a failed lookup is forgotten at once. Names that were found when they were looked up last do not
 * wait behind others, whose name servers may be silent.
 */
public final class AddressCache {
    public static final Duration LIFE = Duration.ofSeconds(30);
    static final int CAPACITY = 10_000;
    private static final Duration LIFE_OF_FOUND = Duration.ofHours(1);

    private final HostLookup lookup;
    private final Executor forFound;
    private final Executor forOthers;
    private final AsyncCache<String, List<InetAddress>> addresses;
    private final Cache<String, Boolean> found;

    public AddressCache(HostLookup lookup, Executor blocking, LongSupplier nanoTime) {
        this(lookup, blocking, blocking, nanoTime);
    }

    /** @param forFound looks up the names that were found when they were looked up last */
    AddressCache(HostLookup lookup, Executor forFound, Executor forOthers, LongSupplier nanoTime) {
        this.lookup = lookup;
        this.forFound = forFound;
        this.forOthers = forOthers;
        this.addresses = remembering(LIFE, nanoTime).buildAsync();
        this.found = remembering(LIFE_OF_FOUND, nanoTime).build();
    }

    private static Caffeine<Object, Object> remembering(Duration life, LongSupplier nanoTime) {
        return Caffeine.newBuilder()
                .maximumSize(CAPACITY)
                .expireAfterWrite(life)
                .ticker(nanoTime::getAsLong);
    }

    /** The addresses of {@code host}, or {@link UnknownHostException}. */
    CompletableFuture<List<InetAddress>> get(String host) {
        return addresses.get(host, (name, _) -> CompletableFuture.supplyAsync(() -> ask(name), threadsFor(name)));
    }

    private Executor threadsFor(String host) {
        return found.getIfPresent(host) == null ? forOthers : forFound;
    }

    private List<InetAddress> ask(String host) {
        try {
            var answer = lookup.addresses(host);
            found.put(host, true);
            return answer;
        } catch (UnknownHostException e) {
            found.invalidate(host);
            throw new CompletionException(e);
        }
    }
}
