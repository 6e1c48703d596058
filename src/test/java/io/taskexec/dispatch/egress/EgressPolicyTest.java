package io.taskexec.dispatch.egress;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.dispatch.egress.EgressConfig.Mode;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EgressPolicyTest {
    @ParameterizedTest
    @CsvSource({
        // address, public, private, open
        "93.184.216.34, true, true, true",
        "2606:4700::1111, true, true, true",
        "10.1.2.3, false, true, true",
        "100.64.0.1, false, true, true",
        "100.127.255.255, false, true, true",
        "172.16.0.1, false, true, true",
        "192.168.0.1, false, true, true",
        "fc00::1, false, true, true",
        "fd12:3456::1, false, true, true",
        "127.0.0.1, false, false, true",
        "127.255.255.254, false, false, true",
        "::1, false, false, true",
        "::ffff:127.0.0.1, false, false, true",
        "::ffff:10.0.0.1, false, true, true",
        // NAT64 is judged by the address within
        "64:ff9b::5db8:d822, true, true, true",
        "64:ff9b::10.0.0.1, false, true, true",
        "64:ff9b::127.0.0.1, false, false, true"
    })
    void modesOpenMoreAndMore(String address, boolean inPublic, boolean inPrivate, boolean inOpen) {
        assertThat(Stream.of(Mode.PUBLIC, Mode.PRIVATE, Mode.OPEN)
                        .map(mode -> allows(policy(mode), address))
                        .toList())
                .containsExactly(inPublic, inPrivate, inOpen);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "169.254.169.254",
                "169.254.1.1",
                "100.100.100.200",
                "168.63.129.16",
                "192.0.0.192",
                "fd00:ec2::254",
                "fd00:c1::a9fe:a9fe",
                "fd00:a9fe:a9fe::1",
                "fd00:100::100:200",
                "fd20:ce::254",
                "fe80::1",
                "febf::1",
                "::ffff:169.254.169.254",
                "64:ff9b::169.254.169.254",
                "fd00::5efe:169.254.169.254"
            })
    void metadataAndLinkLocalAreNeverCalledWhateverIsAllowed(String address) {
        assertThat(allows(policy(Mode.OPEN), address)).isFalse();
        assertThat(allows(policy(Mode.OPEN, List.of("0.0.0.0/0", "::/0"), List.of()), address))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "0.1.2.3",
                "192.0.0.1",
                "192.0.2.1",
                "192.88.99.1",
                "198.18.0.1",
                "198.19.255.255",
                "198.51.100.1",
                "203.0.113.1",
                "224.0.0.1",
                "239.255.255.255",
                "240.0.0.1",
                "255.255.255.255",
                "::",
                "::2",
                "::127.0.0.1",
                "::93.184.216.34",
                "100::1",
                "64:ff9b:1::1",
                "2001::1",
                "2001:1ff::1",
                "2001:db8::1",
                "2002:5db8:d822::1",
                "3fff::1",
                "4000::1",
                "5f00::1",
                "fec0::1",
                "ff02::1",
                "::ffff:0:93.184.216.34"
            })
    void reservedAndMulticastAreDeniedInEveryMode(String address) {
        assertThat(Stream.of(Mode.values()).map(mode -> allows(policy(mode), address)))
                .containsOnly(false);
    }

    @Test
    void allowedRangesComeOnTopOfTheMode() {
        var policy = policy(Mode.PUBLIC, List.of("127.0.0.1", "10.0.0.0/8", "240.0.0.0/4", "::1"), List.of());
        assertThat(allows(policy, "127.0.0.1")).isTrue();
        assertThat(allows(policy, "127.0.0.2")).isFalse();
        assertThat(allows(policy, "10.9.9.9")).isTrue();
        assertThat(allows(policy, "192.168.0.1")).isFalse();
        assertThat(allows(policy, "240.0.0.1")).isTrue();
        assertThat(allows(policy, "::1")).isTrue();
        assertThat(allows(policy, "64:ff9b::10.0.0.1")).isTrue();
    }

    @Test
    void deniedRangesBeatAllowedOnes() {
        var policy = policy(Mode.OPEN, List.of("10.0.0.0/8"), List.of("10.1.0.0/16", "93.184.216.0/24"));
        assertThat(allows(policy, "10.0.0.1")).isTrue();
        assertThat(allows(policy, "10.1.0.1")).isFalse();
        assertThat(policy.refusal(InetAddress.ofLiteral("93.184.216.34"))).contains("TE_EGRESS_DENY_CIDRS");
        assertThat(allows(policy, "64:ff9b::93.184.216.34")).isFalse();
    }

    @Test
    void allowingATunnelDoesNotAllowWhatItReaches() {
        var policy = policy(Mode.PRIVATE, List.of("2001::/16", "2002::/16", "::/96"), List.of());
        assertThat(allows(policy, "2002:5db8:d822::1")).isTrue();
        assertThat(allows(policy, "2002:7f00:1::1")).isFalse();
        assertThat(allows(policy, "::127.0.0.1")).isFalse();
        // Teredo: the server in the clear, the client with its bits turned over
        assertThat(allows(policy, "2001:0:5db8:d822::a247:27dd")).isTrue();
        assertThat(allows(policy, "2001:0:7f00:1::a247:27dd")).isFalse();
        assertThat(allows(policy, "2001:0:5db8:d822::80ff:fffe")).isFalse();
    }

    @Test
    void aMappedAddressThatTheJdkLeavesAsItIsIsNoWayIn() throws UnknownHostException {
        var bytes = new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 127, 0, 0, 1};
        var mapped = Inet6Address.getByAddress(null, bytes, 1);
        assertThat(mapped).isInstanceOf(Inet6Address.class);
        assertThat(policy(Mode.PRIVATE, List.of("::/0"), List.of()).refusal(mapped))
                .contains("loopback");
    }

    @Test
    void theReasonNamesTheKindAndTheMode() {
        assertThat(policy(Mode.PUBLIC).refusal(InetAddress.ofLiteral("10.0.0.1")))
                .isEqualTo("a private address, which TE_EGRESS_MODE=public does not allow");
    }

    private static boolean allows(EgressPolicy policy, String address) {
        return policy.refusal(InetAddress.ofLiteral(address)) == null;
    }

    private static EgressPolicy policy(Mode mode) {
        return policy(mode, List.of(), List.of());
    }

    private static EgressPolicy policy(Mode mode, List<String> allow, List<String> deny) {
        return new EgressPolicy(
                mode,
                allow.stream().map(Cidr::parse).toList(),
                deny.stream().map(Cidr::parse).toList());
    }
}
