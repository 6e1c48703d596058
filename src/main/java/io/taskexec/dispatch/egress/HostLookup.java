package io.taskexec.dispatch.egress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Finds all addresses of a host name; may block. A seam, so that tests can answer as a hostile name server would. */
@FunctionalInterface
public interface HostLookup {
    /** The lookup of the operating system, hosts file included. */
    HostLookup SYSTEM = host -> List.of(InetAddress.getAllByName(host));

    /** The addresses of {@code host}, at least one. */
    List<InetAddress> addresses(String host) throws UnknownHostException;
}
