package io.taskexec.dispatch.egress;

import java.math.BigInteger;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.regex.Pattern;

/**
 * A range of addresses of one family, such as {@code 10.0.0.0/8} or {@code fc00::/7}. It keeps numbers and no
 * addresses, which constants of a native image cannot hold.
 *
 * @param bits how many bits the addresses of its family have
 * @param prefix how many leading bits all its addresses share
 * @param shared these bits
 */
public record Cidr(int bits, int prefix, BigInteger shared) {
    /** The JDK also reads {@code 10} or {@code 10.1} as addresses, which is a mistake in a list of ranges. */
    private static final Pattern ADDRESS = Pattern.compile("\\d+\\.\\d+\\.\\d+\\.\\d+|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*");

    /**
     * Reads a range, or a single address as the range that holds only itself.
     *
     * @throws IllegalArgumentException with a sentence for the operator when {@code text} is neither
     */
    public static Cidr parse(String text) {
        var slash = text.indexOf('/');
        try {
            var network = address(slash < 0 ? text : text.substring(0, slash));
            var bits = bits(network);
            return of(network, slash < 0 ? bits : Integer.parseInt(text, slash + 1, text.length(), 10));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("\"" + text + "\" is not an address range: " + e.getMessage(), e);
        }
    }

    private static Cidr of(InetAddress network, int prefix) {
        var bits = bits(network);
        if (prefix < 0 || prefix > bits) {
            throw new IllegalArgumentException(
                    "a prefix of " + prefix + " bits does not fit " + network.getHostAddress());
        }
        var shared = leading(network, prefix);
        if (!shared.shiftLeft(bits - prefix).equals(leading(network, bits))) {
            throw new IllegalArgumentException("the address has bits beyond its prefix of " + prefix + " bits");
        }
        return new Cidr(bits, prefix, shared);
    }

    /** Whether {@code address} is of the same family and lies in this range. */
    public boolean contains(InetAddress address) {
        return bits(address) == bits && leading(address, prefix).equals(shared);
    }

    private static InetAddress address(String text) {
        if (!ADDRESS.matcher(text).matches()) {
            throw new IllegalArgumentException("an IPv4 or IPv6 address is needed before the slash");
        }
        return InetAddress.ofLiteral(text);
    }

    private static int bits(InetAddress address) {
        return address instanceof Inet4Address ? 32 : 128;
    }

    private static BigInteger leading(InetAddress address, int count) {
        return new BigInteger(1, address.getAddress()).shiftRight(bits(address) - count);
    }
}
