package io.taskexec.dispatch.egress;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.smallrye.mutiny.Uni;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Stands before every outgoing connection. The caller must connect to the address that {@link #check} answers with and
 * must not look the name up again: a name server could answer differently the second time (DNS rebinding).
 */
@Singleton
public class EgressGuard {
    private static final int LOOKUP_THREADS = 32;

    private static final int MOST_REMEMBERED = 10_000;

    /**
     * An IPv4 address with a part that begins with 0: octal to the C library and to browsers, decimal to the JDK.
     * What is checked here could be another address to the program that connects in the end, such as a proxy.
     */
    private static final Pattern AMBIGUOUS = Pattern.compile(
            "(?=(?:.*\\.)?0[0-9xX])(?:0[xX][0-9a-fA-F]*|[0-9]+)(?:\\.(?:0[xX][0-9a-fA-F]*|[0-9]+))*\\.?");

    private static final String METADATA_NAME = "a name of a cloud metadata service, which is never called";

    private final AddressCache cache;
    private final EgressPolicy policy;
    private final OwnAddresses own;

    /** Of the policy, which never changes; empty when there is nothing against an address. */
    private final LoadingCache<InetAddress, Optional<String>> refusals;

    /** Receivers are few and called often, and a text that is no address costs an exception to be told so. */
    private final LoadingCache<String, Written> written;

    /** The kind of a host, as its text alone tells it. */
    private sealed interface Written {
        record Name() implements Written {}

        record Allowed(InetAddress address) implements Written {}

        record Refused(String reason) implements Written {}
    }

    @Inject
    public EgressGuard(EgressConfig config) {
        this(EgressPolicy.of(config), lookupThreads("taskexec-lookup-"));
    }

    private EgressGuard(EgressPolicy policy, Executor threads) {
        this(
                policy,
                new AddressCache(HostLookup.SYSTEM, threads, lookupThreads("taskexec-first-lookup-"), System::nanoTime),
                new OwnAddresses(OwnAddresses.Source.SYSTEM, threads, System::nanoTime));
    }

    public EgressGuard(EgressPolicy policy, AddressCache cache, OwnAddresses own) {
        this.cache = cache;
        this.policy = policy;
        this.own = own;
        this.refusals = Caffeine.newBuilder()
                .maximumSize(MOST_REMEMBERED)
                .build(address -> Optional.ofNullable(policy.refusal(address)));
        this.written = Caffeine.newBuilder().maximumSize(MOST_REMEMBERED).build(host -> read(host, policy));
    }

    /**
     * An address of {@code host} that may be called, provided that all its addresses may.
     *
     * @param host a name or a literal address, IPv6 without brackets
     * @return fails with {@link EgressBlockedException} or {@link UnknownHostException}; may emit on a lookup thread
     */
    public Uni<InetAddress> check(String host) {
        return switch (written.get(host)) {
            case Written.Allowed(var address) -> {
                var refusal = refusalOfOwn(address);
                yield refusal == null ? Uni.createFrom().item(address) : refused(host, refusal);
            }
            case Written.Refused(var reason) -> refused(host, reason);
            case Written.Name() ->
                // A dependent future per caller, since cancelling one must not cancel a lookup that others share.
                Uni.createFrom()
                        .completionStage(() -> cache.get(host).thenApply(found -> admit(host, found)))
                        .onFailure(CompletionException.class)
                        .transform(EgressGuard::cause);
        };
    }

    /**
     * The same for a call through a proxy, which looks the name up itself, and may be on a machine that knows more
     * names.
     *
     * @return fails with {@link UnknownHostException} too when the name is for the proxy to judge
     */
    public Uni<InetAddress> checkForProxy(String host) {
        return ReservedNames.isShortMetadata(host) ? refused(host, METADATA_NAME) : check(host);
    }

    private static Uni<InetAddress> refused(String host, String reason) {
        return Uni.createFrom().failure(() -> new EgressBlockedException(host + " is " + reason));
    }

    private @Nullable String refusalOfOwn(InetAddress address) {
        return own.contain(address) ? policy.refusalOfOwn(address) : null;
    }

    private static Written read(String host, EgressPolicy policy) {
        var hasDot = host.endsWith(".") && literal(ReservedNames.plain(host)) != null;
        if (hasDot || AMBIGUOUS.matcher(host).matches()) {
            return new Written.Refused("an address that not all programs read alike");
        }
        if (ReservedNames.isMetadata(host)) {
            return new Written.Refused(METADATA_NAME);
        }
        if (ReservedNames.isLocal(host)) {
            var refusal = refusalOfLoopback(policy);
            return refusal == null ? new Written.Name() : new Written.Refused("a name of " + refusal);
        }
        var literal = literal(host);
        if (literal == null) {
            return new Written.Name();
        }
        var refusal = policy.refusal(literal);
        return refusal == null ? new Written.Allowed(literal) : new Written.Refused(refusal);
    }

    /** Null when one of the two may be called: which one it is shows when the name has been looked up. */
    private static @Nullable String refusalOfLoopback(EgressPolicy policy) {
        return policy.refusal(InetAddress.ofLiteral("::1")) == null
                ? null
                : policy.refusal(InetAddress.ofLiteral("127.0.0.1"));
    }

    private InetAddress admit(String host, List<InetAddress> found) {
        for (var address : found) {
            var refusal = refusals.get(address).orElse(null);
            if (refusal == null) {
                refusal = refusalOfOwn(address);
            }
            if (refusal != null) {
                throw new EgressBlockedException(host + " resolves to " + refusal);
            }
        }
        return oneOf(found);
    }

    /** Any address of the family that the system prefers, so that load spreads and a retry may meet another machine. */
    private static InetAddress oneOf(List<InetAddress> found) {
        var family = found.getFirst().getClass();
        var preferred = found.stream().filter(family::isInstance).toList();
        return preferred.get(ThreadLocalRandom.current().nextInt(preferred.size()));
    }

    /** The address that {@code host} is, IPv6 without brackets; null when it is a name. */
    public static @Nullable InetAddress literal(String host) {
        try {
            return InetAddress.ofLiteral(host);
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    private static Throwable cause(Throwable failure) {
        var cause = failure.getCause();
        return cause == null ? failure : cause;
    }

    /**
     * Platform threads, because a lookup blocks inside the operating system for as long as a name server likes and
     * would pin the few carriers of virtual threads; they end when idle.
     */
    private static Executor lookupThreads(String prefix) {
        var threads = new ThreadPoolExecutor(
                LOOKUP_THREADS,
                LOOKUP_THREADS,
                30,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name(prefix, 0).factory());
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }
}
