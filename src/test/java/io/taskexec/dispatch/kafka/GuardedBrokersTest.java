package io.taskexec.dispatch.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.taskexec.dispatch.egress.AddressCache;
import io.taskexec.dispatch.egress.EgressConfig;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.dispatch.egress.EgressPolicy;
import io.taskexec.dispatch.egress.OwnAddresses;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class GuardedBrokersTest {
    private final List<String> asked = new ArrayList<>();
    private final AtomicLong nanoTime = new AtomicLong();
    private final AtomicInteger refused = new AtomicInteger();
    private String answer = "93.184.216.34";

    private final GuardedBrokers brokers = new GuardedBrokers(
            new EgressGuard(
                    new EgressPolicy(EgressConfig.Mode.PRIVATE, List.of(), List.of()),
                    new AddressCache(this::lookUp, Runnable::run, nanoTime::get),
                    new OwnAddresses(() -> Set.of(InetAddress.ofLiteral("10.1.2.3")), Runnable::run, nanoTime::get)),
            refused::incrementAndGet);

    @Test
    void theAddressThatIsConnectedToIsTheOneThatWasAdmitted() throws UnknownHostException {
        var addresses = brokers.resolve("kafka.example");

        assertThat(addresses).hasSize(1);
        assertThat(addresses[0].getHostAddress()).isEqualTo("93.184.216.34");
        assertThat(addresses[0].getHostName()).isEqualTo("kafka.example");
        assertThat(asked).containsExactly("kafka.example");
    }

    @Test
    void aNameThatTurnsToAForbiddenAddressIsNotConnectedTo() throws UnknownHostException {
        var _ = brokers.resolve("kafka.example");
        answer = "127.0.0.1";
        nanoTime.addAndGet(AddressCache.LIFE.toNanos());

        assertThatExceptionOfType(UnknownHostException.class).isThrownBy(() -> brokers.resolve("kafka.example"));
        assertThat(refused).hasValue(1);
        assertThat(brokers.refusalOfAll(List.of("kafka.example"))).contains("loopback");

        answer = "93.184.216.34";
        nanoTime.addAndGet(AddressCache.LIFE.toNanos());
        assertThat(brokers.resolve("kafka.example")).hasSize(1);
        assertThat(brokers.refusalOfAll(List.of("kafka.example"))).isNull();
    }

    @Test
    void literalAddressesAreAskedForToo() {
        assertThatExceptionOfType(UnknownHostException.class).isThrownBy(() -> brokers.resolve("169.254.169.254"));
        assertThatExceptionOfType(UnknownHostException.class).isThrownBy(() -> brokers.resolve("::1"));
        assertThat(refused).hasValue(2);
    }

    @Test
    void namesAndAddressesOfTheMachineItselfAreNotConnectedTo() {
        for (var host :
                List.of("localhost", "broker.localhost.", "metadata.google.internal", "127.0.0.1.", "10.1.2.3")) {
            assertThatExceptionOfType(UnknownHostException.class).as(host).isThrownBy(() -> brokers.resolve(host));
        }
        assertThat(refused).hasValue(5);
        assertThat(asked).isEmpty();
    }

    @Test
    void aMessageHasSomewhereToGoWhileOneOfItsBrokersMayBeCalled() {
        assertThatExceptionOfType(UnknownHostException.class).isThrownBy(() -> brokers.resolve("127.0.0.1"));

        assertThat(brokers.refusalOfAll(List.of("127.0.0.1", "127.0.0.1"))).isNotNull();
        assertThat(brokers.refusalOfAll(List.of("127.0.0.1", "kafka.example"))).isNull();
        assertThat(brokers.refusalOfAll(List.of())).isNull();
    }

    private List<InetAddress> lookUp(String host) {
        asked.add(host);
        return List.of(InetAddress.ofLiteral(answer));
    }
}
