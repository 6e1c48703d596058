package io.taskexec.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EgressGuardTest {
    private final List<String> asked = new ArrayList<>();
    private final AtomicLong nanoTime = new AtomicLong();
    private List<String> answer = List.of("93.184.216.34");

    private final EgressGuard guard = guard(Runnable::run);

    @Test
    void answersWithAnAddressOfTheName() {
        assertThat(check("hooks.example").getHostAddress()).isEqualTo("93.184.216.34");
    }

    @Test
    void literalsNeedNoLookup() {
        assertThat(check("10.0.0.1").getHostAddress()).isEqualTo("10.0.0.1");
        assertThat(check("2606:4700::1111").getHostAddress()).isEqualTo("2606:4700:0:0:0:0:0:1111");
        assertThat(asked).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.1", "2130706433", "0", "::1", "::ffff:127.0.0.1", "169.254.169.254"})
    void noWayOfWritingAnAddressGetsAround(String host) {
        assertThatThrownBy(() -> check(host))
                .isInstanceOf(EgressBlockedException.class)
                .hasMessageStartingWith(host + " is a");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"0177.0.0.1", "0177.1", "017700000001", "127.0.0.01", "0x7f.0.0.1", "0X7F000001", "0177.0.0.1."})
    void anAddressThatIsOctalOrHexadecimalToOthersIsRefused(String host) {
        answer = List.of("93.184.216.34");
        assertThatThrownBy(() -> check(host))
                .isInstanceOf(EgressBlockedException.class)
                .hasMessage(host + " is an address that not all programs read alike");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.example", "0x7f.example", "01.02.03.example", "10.0.0.1", "203.0.112.10"})
    void whatOnlyBeginsLikeOneIsNot(String host) {
        answer = List.of("93.184.216.34");
        assertThatCode(() -> check(host)).doesNotThrowAnyException();
    }

    @Test
    void oneBadAddressAmongGoodOnesBlocksTheName() {
        answer = List.of("93.184.216.34", "127.0.0.1");
        assertThatThrownBy(() -> check("mixed.example"))
                .isInstanceOf(EgressBlockedException.class)
                .hasMessage("mixed.example resolves to a loopback address, which TE_EGRESS_MODE=private does not allow")
                .satisfies(e -> assertThat(e.getStackTrace()).isEmpty());
    }

    @Test
    void staysWithTheFamilyThatTheSystemPrefers() {
        answer = List.of("93.184.216.34", "2606:4700::1111", "93.184.216.35");
        assertThat(IntStream.range(0, 100).mapToObj(_ -> check("dual.example").getHostAddress()))
                .containsOnly("93.184.216.34", "93.184.216.35");
    }

    @Test
    void answersAreKeptForHalfAMinute() {
        check("hooks.example");
        nanoTime.addAndGet(Duration.ofSeconds(29).toNanos());
        check("hooks.example");
        assertThat(asked).hasSize(1);
        nanoTime.addAndGet(Duration.ofSeconds(1).toNanos());
        check("hooks.example");
        assertThat(asked).hasSize(2);
    }

    @Test
    void failuresAreNotKept() {
        answer = List.of();
        assertThatThrownBy(() -> check("new.example")).hasRootCauseInstanceOf(UnknownHostException.class);
        answer = List.of("93.184.216.34");
        assertThat(check("new.example")).isNotNull();
    }

    @Test
    void theCacheIsBounded() {
        IntStream.rangeClosed(0, AddressCache.CAPACITY).forEach(i -> check("host" + i + ".example"));
        asked.clear();
        check("host1.example");
        assertThat(asked).isEmpty();
        check("host0.example");
        assertThat(asked).containsExactly("host0.example");
    }

    @Test
    void callersShareALookupAndOneThatLeavesDoesNotSpoilIt() {
        Queue<Runnable> waiting = new ArrayDeque<>();
        var slow = guard(waiting::add);
        var first = slow.check("slow.example").subscribeAsCompletionStage();
        var second = slow.check("slow.example").subscribeAsCompletionStage();
        assertThat(waiting).hasSize(1);
        first.cancel(true);
        waiting.remove().run();
        assertThat(second.join().getHostAddress()).isEqualTo("93.184.216.34");
    }

    @Test
    void theSystemLooksUpNamesOnAThreadOfItsOwn() {
        var system = new EgressGuard(new TestEgress(EgressConfig.Mode.OPEN));
        assertThat(system.check("localhost")
                        .await()
                        .atMost(Duration.ofSeconds(10))
                        .isLoopbackAddress())
                .isTrue();
        assertThatThrownBy(() -> system.check("no-such-name.invalid").await().atMost(Duration.ofSeconds(30)))
                .hasRootCauseInstanceOf(UnknownHostException.class);
    }

    private InetAddress check(String host) {
        return guard.check(host).await().atMost(Duration.ofSeconds(5));
    }

    private EgressGuard guard(Executor executor) {
        var policy = new EgressPolicy(EgressConfig.Mode.PRIVATE, List.of(), List.of());
        return new EgressGuard(policy, new AddressCache(this::lookUp, executor, nanoTime::get));
    }

    private List<InetAddress> lookUp(String host) throws UnknownHostException {
        asked.add(host);
        if (answer.isEmpty()) {
            throw new UnknownHostException(host);
        }
        return answer.stream().map(InetAddress::ofLiteral).toList();
    }
}
