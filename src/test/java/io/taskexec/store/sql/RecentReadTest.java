package io.taskexec.store.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RecentReadTest {
    private final List<CompletableFuture<String>> reads = new ArrayList<>();

    private Uni<String> read() {
        var read = new CompletableFuture<String>();
        reads.add(read);
        return Uni.createFrom().completionStage(read);
    }

    private static UniAssertSubscriber<String> asked(RecentRead<String> recent) {
        return recent.get().subscribe().withSubscriber(UniAssertSubscriber.create());
    }

    @Test
    void thoseWhoAskDuringAReadWaitForItHoweverLongItTakes() {
        var recent = new RecentRead<>(Duration.ofNanos(1), this::read);
        var first = asked(recent);
        var second = asked(recent);
        assertThat(reads).hasSize(1);

        reads.getFirst().complete("a");

        first.assertItem("a");
        second.assertItem("a");
    }

    @Test
    void whatWasReadAMomentAgoIsNotReadAgain() {
        var recent = new RecentRead<>(Duration.ofDays(1), this::read);
        var _ = asked(recent);
        reads.getFirst().complete("a");

        asked(recent).assertItem("a");

        assertThat(recent.known()).isEqualTo("a");
        assertThat(reads).hasSize(1);
    }

    @Test
    void nothingIsKnownBeforeAReadEndsOrWhenItIsTooOld() {
        var recent = new RecentRead<>(Duration.ofNanos(1), this::read);
        assertThat(recent.known()).isNull();

        var _ = asked(recent);
        assertThat(recent.known()).isNull();

        reads.getFirst().complete("a");
        assertThat(recent.known()).isNull();
    }

    @Test
    void whatIsTooOldIsReadAgain() {
        var recent = new RecentRead<>(Duration.ofNanos(1), this::read);
        var _ = asked(recent);
        reads.getFirst().complete("a");

        asked(recent).assertNotTerminated();

        assertThat(reads).hasSize(2);
    }

    @Test
    void whatIsForgottenIsReadAgainAlsoDuringARead() {
        var recent = new RecentRead<>(Duration.ofDays(1), this::read);
        var first = asked(recent);

        recent.forget();

        var second = asked(recent);
        assertThat(reads).hasSize(2);
        reads.get(1).complete("new");
        reads.getFirst().complete("old");
        first.assertItem("old");
        second.assertItem("new");
        asked(recent).assertItem("new");
    }
}
