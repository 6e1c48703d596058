package io.taskexec.dispatch.egress;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The purpose of an address, by the IANA registries of special-purpose addresses. The JDK's own flags miss
 * carrier-grade NAT, unique local addresses and most reserved ranges.
 */
enum AddressKind {
    // The order matters: the first kind that holds an address is its kind.
    METADATA(
            "a cloud metadata address",
            "169.254.169.254",
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
            "fd00:ec2::254",
            "fd00:ec2::23",
            "fd20:ce::254",
            "fd00:42::42",
            "fd00:c1::a9fe:a9fe",
            "fd00:a9fe:a9fe::1",
            "fd00:100::100:200"),
    LINK_LOCAL("a link-local address", "169.254.0.0/16", "fe80::/10"),
    LOOPBACK("a loopback address", "127.0.0.0/8", "::1"),
    PRIVATE("a private address", "10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"),
    MULTICAST("a multicast address", "224.0.0.0/4", "ff00::/8"),
    RESERVED(
            "a reserved address",
            "0.0.0.0/8",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "240.0.0.0/4",
            "2001::/23",
            "2001:db8::/32",
            "2002::/16",
            "3fff::/20"),
    /** NAT64 is here because the IPv4 address within it, which is checked too, decides. */
    PUBLIC("a public address", "0.0.0.0/0", "2000::/3", "64:ff9b::/96");

    private final String label;

    @SuppressWarnings("ImmutableEnumChecker") // toList() makes lists that cannot be changed
    private final List<Cidr> ranges;

    AddressKind(String label, String... ranges) {
        this.label = label;
        this.ranges = Stream.of(ranges).map(Cidr::parse).toList();
    }

    /** The kind of {@code address}; what IANA has not assigned is reserved. */
    static AddressKind of(InetAddress address) {
        return Arrays.stream(values())
                .filter(kind -> kind.ranges.stream().anyMatch(range -> range.contains(address)))
                .findFirst()
                .orElse(RESERVED);
    }

    /** The kind in words, with its article. */
    String label() {
        return label;
    }
}
