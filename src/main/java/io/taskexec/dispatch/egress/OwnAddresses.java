package io.taskexec.dispatch.egress;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** The addresses of this machine's network interfaces. They change, and are read again at most every ten seconds. */
public final class OwnAddresses {
    static final Duration LIFE = Duration.ofSeconds(10);

    private final Source source;
    private final Executor blocking;
    private final LongSupplier nanoTime;
    private final AtomicBoolean reading = new AtomicBoolean();
    private volatile Known known;

    /** Reads them; may block. A seam, so that tests can plug in a cable. */
    @FunctionalInterface
    public interface Source {
        /** The interfaces of the operating system. */
        Source SYSTEM = () -> NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .collect(Collectors.toUnmodifiableSet());

        Set<InetAddress> read() throws SocketException;
    }

    private record Known(Set<InetAddress> addresses, long since) {}

    public OwnAddresses(Source source, Executor blocking, LongSupplier nanoTime) {
        this.source = source;
        this.blocking = blocking;
        this.nanoTime = nanoTime;
        this.known = read(Set.of());
    }

    /** Whether {@code address}, or an IPv4 address within it, was one of this machine when that was read last. */
    boolean contain(InetAddress address) {
        var current = known;
        if (nanoTime.getAsLong() - current.since() >= LIFE.toNanos() && reading.compareAndSet(false, true)) {
            blocking.execute(this::readAgain);
        }
        return current.addresses().contains(address)
                || EmbeddedAddresses.of(address).stream().anyMatch(current.addresses()::contains);
    }

    private void readAgain() {
        try {
            known = read(known.addresses());
        } finally {
            reading.set(false);
        }
    }

    private Known read(Set<InetAddress> before) {
        try {
            return new Known(source.read(), nanoTime.getAsLong());
        } catch (SocketException _) {
            // What was known is the best guess until the next time.
            return new Known(before, nanoTime.getAsLong());
        }
    }
}
