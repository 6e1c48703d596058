package io.taskexec.dispatch;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * A range of addresses of one family, such as {@code 10.0.0.0/8} or {@code fc00::/7}.
 *
 * @param network its first address
 * @param prefix how many leading bits all its addresses share
 */
public record Cidr(InetAddress network, int prefix) {
    /** The JDK also reads {@code 10} or {@code 10.1} as addresses, which nobody means in a list of ranges. */
    private static final Pattern ADDRESS = Pattern.compile("\\d+\\.\\d+\\.\\d+\\.\\d+|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*");

    public Cidr {
        if (prefix < 0 || prefix > network.getAddress().length * Byte.SIZE) {
            throw new IllegalArgumentException(
                    "a prefix of " + prefix + " bits does not fit " + network.getHostAddress());
        }
        if (!Arrays.equals(masked(network.getAddress(), prefix), network.getAddress())) {
            throw new IllegalArgumentException("the address has bits beyond its prefix of " + prefix + " bits");
        }
    }

    /**
     * Reads a range, or a single address as the range that holds only itself.
     *
     * @throws IllegalArgumentException with a sentence for the operator when {@code text} is neither
     */
    public static Cidr parse(String text) {
        var slash = text.indexOf('/');
        try {
            var network = address(slash < 0 ? text : text.substring(0, slash));
            var bits = network.getAddress().length * Byte.SIZE;
            return new Cidr(network, slash < 0 ? bits : Integer.parseInt(text, slash + 1, text.length(), 10));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("\"" + text + "\" is not an address range: " + e.getMessage(), e);
        }
    }

    /** Whether {@code address} is of the same family and lies in this range. */
    public boolean contains(InetAddress address) {
        var bytes = address.getAddress();
        return bytes.length == network.getAddress().length
                && Arrays.equals(masked(bytes, prefix), network.getAddress());
    }

    private static InetAddress address(String text) {
        if (!ADDRESS.matcher(text).matches()) {
            throw new IllegalArgumentException("an IPv4 or IPv6 address is needed before the slash");
        }
        return InetAddress.ofLiteral(text);
    }

    private static byte[] masked(byte[] bytes, int prefix) {
        for (var i = 0; i < bytes.length; i++) {
            var kept = Math.clamp(prefix - i * Byte.SIZE, 0, Byte.SIZE);
            bytes[i] &= (byte) (0xff00 >>> kept);
        }
        return bytes;
    }
}
