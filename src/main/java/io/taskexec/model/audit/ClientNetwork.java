package io.taskexec.model.audit;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Identifies the network of a client, which it cannot choose: its IPv4 address, or the /64 of its IPv6 address, in
 * which a single machine has as many addresses as it likes. Behind a proxy it is the proxy.
 */
public record ClientNetwork(String prefix) {
    private static final int NETWORK_BYTES = 8;

    /** The network of an address. */
    public static ClientNetwork of(InetAddress address) {
        return new ClientNetwork(
                address instanceof Inet6Address
                        ? HexFormat.of().formatHex(Arrays.copyOf(address.getAddress(), NETWORK_BYTES)) + "::/64"
                        : address.getHostAddress());
    }

    /** The network of an address as a text, which a zone may follow; a text that is no address stands for itself. */
    public static ClientNetwork of(String address) {
        try {
            return of(InetAddress.ofLiteral(address.replaceFirst("%.*", "")));
        } catch (IllegalArgumentException _) {
            return new ClientNetwork(address);
        }
    }
}
