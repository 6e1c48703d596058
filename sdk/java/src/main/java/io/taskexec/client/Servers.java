package io.taskexec.client;

import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The addresses of the API, of which one is used until it fails. */
final class Servers {
    private final List<String> addresses;
    private final AtomicInteger current = new AtomicInteger();

    Servers(List<String> addresses) {
        if (addresses.isEmpty()) {
            throw new IllegalArgumentException("There must be the address of a server.");
        }
        this.addresses = addresses.stream().map(Servers::checked).toList();
    }

    private static String checked(String address) {
        var uri = URI.create(address);
        if (uri.getHost() == null || !("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
            throw new IllegalArgumentException("'%s' is no http or https address.".formatted(address));
        }
        return address.replaceFirst("/+$", "");
    }

    String current() {
        return addresses.get(current.get());
    }

    /** Leaves an address that has failed, unless another thread has. */
    void leave(String failed) {
        var now = current.get();
        if (addresses.size() > 1 && addresses.get(now).equals(failed)) {
            current.compareAndSet(now, (now + 1) % addresses.size());
        }
    }
}
