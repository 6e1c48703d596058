package io.taskexec.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class Uuid7Test {
    @Test
    void itHasTheVersionAndVariantOfRfc9562() {
        for (var i = 0; i < 10_000; i++) {
            var id = Uuid7.next();
            assertThat(id.version()).isEqualTo(7);
            assertThat(id.variant()).isEqualTo(2);
        }
        var floor = Uuid7.floor(Instant.parse("2026-03-01T12:00:00.250Z"));
        assertThat(floor)
                .hasToString(String.format("%012x", 1772366400250L).replaceFirst("(.{8})", "$1-")
                        + "-7000-8000-000000000000");
    }

    @Test
    void eachIsGreaterThanTheOneBeforeAsTheDatabaseOrdersThem() {
        // The canonical text sorts as the bytes do; UUID.compareTo compares signed halves and does not.
        var last = Uuid7.next().toString();
        for (var i = 0; i < 100_000; i++) {
            var next = Uuid7.next().toString();
            assertThat(next.compareTo(last)).isPositive();
            last = next;
        }
    }

    @Test
    void theTimeOfAClockThatWasFarAheadEndsWhenItIsSetBack() {
        ProgramClock.setAhead(Duration.ofDays(9));
        try {
            assertThat(Uuid7.next().toString())
                    .isGreaterThan(
                            Uuid7.floor(Instant.now().plus(Duration.ofDays(8))).toString());
        } finally {
            ProgramClock.setAhead(Duration.ZERO);
        }
        assertThat(Uuid7.next().toString())
                .isLessThan(Uuid7.floor(Instant.now().plus(Duration.ofDays(1))).toString());
    }

    @Test
    void noneRepeatsAcrossThreads() {
        Set<UUID> seen = ConcurrentHashMap.newKeySet();

        IntStream.range(0, 100_000).parallel().forEach(_ -> seen.add(Uuid7.next()));

        assertThat(seen).hasSize(100_000);
    }

    @Test
    void theFloorOfATimeIsBelowWhatIsMadeFromThenOnAndAboveWhatWasMadeBefore() {
        var now = Instant.now();
        var id = Uuid7.next().toString();

        assertThat(Uuid7.floor(now).toString()).isLessThanOrEqualTo(id);
        // The ids run ahead of the clock when many are made within a millisecond, as another test of this class does.
        assertThat(Uuid7.floor(now.plusSeconds(60)).toString()).isGreaterThan(id);
    }
}
