package io.taskexec.dispatch.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EgressGuardTest {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private final AtomicLong nanoTime = new AtomicLong();
    private List<String> answer = List.of("93.184.216.34");
    private Set<String> interfaces = Set.of("10.1.2.3", "2606:4700::3333", "127.0.0.1");

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
    @ValueSource(strings = {"127.0.0.1.", "127.1.", "2130706433.", "10.0.0.1.", "93.184.216.34.", "127.0.0.1.."})
    void anAddressWithADotAtItsEndIsANameToOthersAndRefused(String host) {
        assertThatThrownBy(() -> check(host))
                .isInstanceOf(EgressBlockedException.class)
                .hasMessage(host + " is an address that not all programs read alike");
        assertThat(asked).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"localhost", "localhost.", "LocalHost", "a.b.localhost", "ip6-loopback", "localhost.localdomain"
            })
    void aNameOfTheMachineItselfIsRefusedUnlessLoopbackAddressesAreAllowed(String host) {
        assertThatThrownBy(() -> check(host))
                .isInstanceOf(EgressBlockedException.class)
                .hasMessage(host + " is a name of a loopback address, which TE_EGRESS_MODE=private does not allow");
        assertThat(asked).isEmpty();

        answer = List.of("127.0.0.1");
        var open = guard(EgressConfig.Mode.OPEN, List.of(), Runnable::run);
        var allowing = guard(EgressConfig.Mode.PRIVATE, List.of(Cidr.parse("127.0.0.0/8")), Runnable::run);
        for (var each : List.of(open, allowing)) {
            assertThat(each.check(host).await().indefinitely().getHostAddress()).isEqualTo("127.0.0.1");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "metadata.google.internal",
                "METADATA.google.internal.",
                "metadata.goog",
                "instance-data",
                "instance-data.ec2.internal",
                "metadata.azure.internal"
            })
    void aNameOfAMetadataServiceIsNeverCalled(String host) {
        var open = guard(EgressConfig.Mode.OPEN, List.of(), Runnable::run);

        assertThatThrownBy(() -> open.check(host).await().indefinitely())
                .isInstanceOf(EgressBlockedException.class)
                .hasMessage(host + " is a name of a cloud metadata service, which is never called");
    }

    @Test
    void aServiceThatIsCalledMetadataIsJudgedByItsAddressUnlessAProxyLooksItUp() {
        answer = List.of("10.0.0.1");

        assertThat(check("metadata").getHostAddress()).isEqualTo("10.0.0.1");
        assertThatThrownBy(() -> guard.checkForProxy("metadata").await().indefinitely())
                .isInstanceOf(EgressBlockedException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.1.2.3", "2606:4700::3333", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3"})
    void anAddressOfTheMachineItselfIsRefused(String host) {
        assertThatThrownBy(() -> check(host))
                .isInstanceOf(EgressBlockedException.class)
                .hasMessage(host + " is an address of this machine itself, which TE_EGRESS_MODE=private does not allow;"
                        + " TE_EGRESS_ALLOW_CIDRS can");

        answer = List.of("93.184.216.34", host);
        assertThatThrownBy(() -> check("own.example"))
                .isInstanceOf(EgressBlockedException.class)
                .hasMessageStartingWith("own.example resolves to an address of this machine itself");
    }

    @Test
    void addressesOfTheMachineItselfCanBeAllowed() {
        var open = guard(EgressConfig.Mode.OPEN, List.of(), Runnable::run);
        var allowing = guard(EgressConfig.Mode.PRIVATE, List.of(Cidr.parse("10.1.2.3")), Runnable::run);

        for (var each : List.of(open, allowing)) {
            assertThat(each.check("10.1.2.3").await().indefinitely().getHostAddress())
                    .isEqualTo("10.1.2.3");
        }
    }

    @Test
    void addressesOfTheMachineAreReadAgainAfterAWhile() {
        assertThatCode(() -> check("10.9.9.9")).doesNotThrowAnyException();
        interfaces = Set.of("10.9.9.9");
        assertThatCode(() -> check("10.9.9.9")).doesNotThrowAnyException();

        nanoTime.addAndGet(OwnAddresses.LIFE.toNanos());
        // Whoever asks first has them read and does not wait.
        assertThatCode(() -> check("10.1.2.4")).doesNotThrowAnyException();

        assertThatThrownBy(() -> check("10.9.9.9")).isInstanceOf(EgressBlockedException.class);
        assertThatCode(() -> check("10.1.2.3")).doesNotThrowAnyException();
    }

    @Test
    void theAddressesOfThisVeryMachineAreKnown() throws SocketException {
        var own = new OwnAddresses(OwnAddresses.Source.SYSTEM, Runnable::run, System::nanoTime);

        assertThat(OwnAddresses.Source.SYSTEM.read()).isNotEmpty().allMatch(own::contain);
        assertThat(own.contain(InetAddress.ofLiteral("192.0.2.1"))).isFalse();
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
        var _ = check("hooks.example");
        nanoTime.addAndGet(Duration.ofSeconds(29).toNanos());
        var _ = check("hooks.example");
        assertThat(asked).hasSize(1);
        nanoTime.addAndGet(Duration.ofSeconds(1).toNanos());
        var _ = check("hooks.example");
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
        var more = AddressCache.CAPACITY * 2;
        IntStream.range(0, more).forEach(i -> {
            var _ = check("host" + i + ".example");
        });
        asked.clear();

        IntStream.range(0, more).forEach(i -> {
            var _ = check("host" + i + ".example");
        });

        // Those that went are chosen on another thread, a little later.
        assertThat(asked).hasSizeGreaterThan(AddressCache.CAPACITY / 2);
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
    void aNameThatWasFoundBeforeDoesNotWaitForThoseWhoseServersAreSilent() {
        var silence = new CompletableFuture<Void>();
        HostLookup lookup = host -> {
            if (host.startsWith("dead-")) {
                silence.join();
            }
            return lookUp(host);
        };
        try (var forFound = Executors.newSingleThreadExecutor();
                var forOthers = Executors.newFixedThreadPool(2)) {
            var busy = guard(new AddressCache(lookup, forFound, forOthers, nanoTime::get));
            assertThat(busy.check("good.example").await().atMost(PATIENCE)).isNotNull();
            nanoTime.addAndGet(AddressCache.LIFE.toNanos());
            IntStream.range(0, 100).forEach(i -> {
                var _ = busy.check("dead-" + i + ".example").subscribeAsCompletionStage();
            });
            try {
                assertThat(busy.check("good.example").await().atMost(PATIENCE)).isNotNull();
            } finally {
                silence.complete(null);
            }
        }
    }

    @Test
    void aNameThatIsNoLongerFoundIsOneOfTheOthersAgain() {
        var apart = new AtomicInteger();
        Executor forFound = task -> {
            var _ = apart.incrementAndGet();
            task.run();
        };
        var busy = guard(new AddressCache(this::lookUp, forFound, Runnable::run, nanoTime::get));
        for (var expected : List.of(0, 1)) {
            assertThat(busy.check("fickle.example").await().atMost(PATIENCE)).isNotNull();
            assertThat(apart).hasValue(expected);
            nanoTime.addAndGet(AddressCache.LIFE.toNanos());
        }
        answer = List.of();
        for (var _ : List.of(1, 2)) {
            assertThatThrownBy(() -> busy.check("fickle.example").await().atMost(PATIENCE))
                    .hasRootCauseInstanceOf(UnknownHostException.class);
            assertThat(apart).hasValue(2);
        }
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
        return guard.check(host).await().atMost(PATIENCE);
    }

    private EgressGuard guard(Executor executor) {
        return guard(EgressConfig.Mode.PRIVATE, List.of(), executor);
    }

    private EgressGuard guard(AddressCache cache) {
        return new EgressGuard(
                new EgressPolicy(EgressConfig.Mode.PRIVATE, List.of(), List.of()), cache, TestEgress.NO_INTERFACES);
    }

    private EgressGuard guard(EgressConfig.Mode mode, List<Cidr> allow, Executor executor) {
        return new EgressGuard(
                new EgressPolicy(mode, allow, List.of()),
                new AddressCache(this::lookUp, executor, nanoTime::get),
                new OwnAddresses(this::interfaces, executor, nanoTime::get));
    }

    private Set<InetAddress> interfaces() {
        return interfaces.stream().map(InetAddress::ofLiteral).collect(Collectors.toSet());
    }

    private List<InetAddress> lookUp(String host) throws UnknownHostException {
        asked.add(host);
        if (answer.isEmpty()) {
            throw new UnknownHostException(host);
        }
        return answer.stream().map(InetAddress::ofLiteral).toList();
    }
}
