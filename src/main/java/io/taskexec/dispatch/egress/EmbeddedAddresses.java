package io.taskexec.dispatch.egress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * The IPv4 addresses that some IPv6 addresses carry: a translator or a tunnel on the way takes them out again, so that
 * calling the IPv6 address reaches the IPv4 one.
 */
final class EmbeddedAddresses {
    private static final List<Cidr> AT_THE_END =
            List.of(Cidr.parse("::/96"), Cidr.parse("::ffff:0:0:0/96"), Cidr.parse("64:ff9b::/96"));
    private static final Cidr SIX_TO_FOUR = Cidr.parse("2002::/16");
    private static final Cidr TEREDO = Cidr.parse("2001::/32");
    private static final int ISATAP = 0x5efe;

    private EmbeddedAddresses() {}

    /** The addresses within {@code address}; none for IPv4, nor for ::1, which only looks like 0.0.0.1. */
    static List<InetAddress> of(InetAddress address) {
        var bytes = address.getAddress();
        if (bytes.length == 4 || address.isLoopbackAddress()) {
            return List.of();
        }
        if (SIX_TO_FOUR.contains(address)) {
            return List.of(v4(bytes, 2, 0));
        }
        if (TEREDO.contains(address)) {
            // RFC 4380, 4: the server, then the client with all its bits turned over.
            return List.of(v4(bytes, 4, 0), v4(bytes, 12, 0xff));
        }
        return endsInIpv4(address, bytes) ? List.of(v4(bytes, 12, 0)) : List.of();
    }

    private static boolean endsInIpv4(InetAddress address, byte[] bytes) {
        return isMapped(bytes) || isIsatap(bytes) || AT_THE_END.stream().anyMatch(range -> range.contains(address));
    }

    /** The JDK turns mapped addresses (::ffff:0:0/96) into IPv4, but not when they are built with a scope. */
    private static boolean isMapped(byte[] bytes) {
        for (var i = 0; i < 10; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return bytes[10] == -1 && bytes[11] == -1;
    }

    /** RFC 5214, 6.1: any prefix, then 0000:5efe or 0200:5efe. */
    private static boolean isIsatap(byte[] bytes) {
        var marker = ((bytes[10] & 0xff) << Byte.SIZE) | (bytes[11] & 0xff);
        return marker == ISATAP && (bytes[8] & ~2) == 0 && bytes[9] == 0;
    }

    private static InetAddress v4(byte[] bytes, int from, int flip) {
        var address = new byte[4];
        for (var i = 0; i < address.length; i++) {
            address[i] = (byte) (bytes[from + i] ^ flip);
        }
        return ofBytes(address);
    }

    private static InetAddress ofBytes(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("not 4 or 16 bytes", e);
        }
    }
}
