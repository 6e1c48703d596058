package io.taskexec.dispatch.egress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers answers about host names for a short while. Callers that ask for a name while its lookup is under way share
 * that lookup; a failed lookup is forgotten at once.
 */
public final class AddressCache {
    public static final Duration LIFE = Duration.ofSeconds(30);
    static final int CAPACITY = 10_000;

    private final HostLookup lookup;
    private final Executor blocking;
    private final LongSupplier nanoTime;

    /** In the order of insertion, which is the order of expiry. */
    private final Map<String, Known> entries = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Known> eldest) {
            return size() > CAPACITY;
        }
    };

    public AddressCache(HostLookup lookup, Executor blocking, LongSupplier nanoTime) {
        this.lookup = lookup;
        this.blocking = blocking;
        this.nanoTime = nanoTime;
    }

    /** The addresses of {@code host}, or {@link UnknownHostException}. */
    CompletableFuture<List<InetAddress>> get(String host) {
        Known asked;
        synchronized (entries) {
            var known = entries.get(host);
            if (known != null && nanoTime.getAsLong() - known.since() < LIFE.toNanos()) {
                return known.answer();
            }
            entries.remove(host);
            asked = new Known(CompletableFuture.supplyAsync(() -> ask(host), blocking), nanoTime.getAsLong());
            entries.put(host, asked);
        }
        // Outside the lock and after the entry is there, since the lookup may have failed already.
        return asked.answer().whenComplete((_, failure) -> forgetFailed(host, asked, failure));
    }

    private List<InetAddress> ask(String host) {
        try {
            return lookup.addresses(host);
        } catch (UnknownHostException e) {
            throw new CompletionException(e);
        }
    }

    private void forgetFailed(String host, Known asked, @Nullable Throwable failure) {
        if (failure != null) {
            synchronized (entries) {
                var _ = entries.remove(host, asked);
            }
        }
    }

    private record Known(CompletableFuture<List<InetAddress>> answer, long since) {}
}
