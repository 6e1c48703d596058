package io.taskexec.dispatch.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CidrTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.0.0.0, true",
        "10.0.0.0/8, 10.255.255.255, true",
        "10.0.0.0/8, 11.0.0.0, false",
        "10.0.0.0/8, 9.255.255.255, false",
        "172.16.0.0/12, 172.31.255.255, true",
        "172.16.0.0/12, 172.32.0.0, false",
        "192.0.2.7, 192.0.2.7, true",
        "192.0.2.7, 192.0.2.8, false",
        "192.0.2.6/31, 192.0.2.7, true",
        "0.0.0.0/0, 255.255.255.255, true",
        "0.0.0.0/0, ::1, false",
        "::/0, 1.2.3.4, false",
        "fc00::/7, fdff::1, true",
        "fc00::/7, fe00::1, false",
        "::1, ::1, true",
        "2001:db8::/33, 2001:db8:7fff::, true",
        "2001:db8::/33, 2001:db8:8000::, false"
    })
    void holdsWhatSharesItsPrefix(String range, String address, boolean held) {
        assertThat(Cidr.parse(range).contains(InetAddress.ofLiteral(address))).isEqualTo(held);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "10",
                "10/8",
                "10.0.0/8",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "10.0.0.0/",
                "10.0.0.0/x",
                "10.0.0.1/8",
                "::/129",
                "localhost",
                "fe80::1%1",
                "256.0.0.0/8",
                "10.0.0.0/8/8",
                "2130706433"
            })
    void refusesWhatIsNotARange(String text) {
        assertThatThrownBy(() -> Cidr.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"" + text + "\" is not an address range");
    }

    @Test
    void comparesByValue() {
        assertThat(Cidr.parse("10.0.0.0/8")).isEqualTo(Cidr.parse("10.0.0.0/8"));
    }
}
