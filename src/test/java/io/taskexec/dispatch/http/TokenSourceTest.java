package io.taskexec.dispatch.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.dispatch.http.TokenAnswer.Refused;
import io.taskexec.dispatch.http.TokenAnswer.Token;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.secret.Redaction;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Moves a clock, and counts how often the token server is asked. */
class TokenSourceTest {
    private static final Refused REFUSED = new Refused(new Outcome.Interrupted());

    private long now = TimeUnit.DAYS.toNanos(1);
    private final TokenSource source = new TokenSource(() -> now);
    private final Queue<CompletableFuture<TokenAnswer>> asked = new ArrayDeque<>();

    private Uni<TokenAnswer> server() {
        var answer = new CompletableFuture<TokenAnswer>();
        asked.add(answer);
        return Uni.createFrom().completionStage(answer);
    }

    private List<TokenAnswer> get() {
        var got = new ArrayList<TokenAnswer>();
        var _ = source.get(this::server).subscribe().with(got::add);
        return got;
    }

    private void pass(int seconds) {
        now += TimeUnit.SECONDS.toNanos(seconds);
    }

    /** A token of a hundred seconds, ten of which are its margin. */
    private Token token(String value) {
        return new Token(
                value,
                now + Duration.ofSeconds(90).toNanos(),
                now + Duration.ofSeconds(100).toNanos(),
                Redaction.NONE);
    }

    @Test
    void whoComesWhileItIsAskedSharesTheAnswerAndSoDoesWhoComesLater() {
        var first = get();
        var second = get();
        assertThat(asked).hasSize(1);
        var token = token("a");

        asked.remove().complete(token);

        assertThat(first).containsExactly(token);
        assertThat(second).containsExactly(token);
        pass(89);
        assertThat(get()).containsExactly(token);
        assertThat(asked).isEmpty();
    }

    @Test
    void whoGivesUpWaitingDoesNotEndItForTheOthers() {
        source.get(this::server).subscribe().with(_ -> {}).cancel();
        var other = get();

        asked.remove().complete(token("a"));

        assertThat(other).hasSize(1);
    }

    @Test
    void withinItsMarginItIsRenewedOnceWhileItIsUsed() {
        var old = token("old");
        var _ = get();
        asked.remove().complete(old);
        pass(91);

        assertThat(get()).containsExactly(old);
        assertThat(get()).containsExactly(old);
        assertThat(asked).hasSize(1);
        var renewed = token("new");
        asked.remove().complete(renewed);

        assertThat(get()).containsExactly(renewed);
    }

    @Test
    void whenItCannotBeRenewedItIsUsedUntilItExpires() {
        var old = token("old");
        var _ = get();
        asked.remove().complete(old);
        pass(91);
        var _ = get();
        asked.remove().complete(REFUSED);

        assertThat(get()).containsExactly(old);
        assertThat(asked).isEmpty();
        pass(6);
        assertThat(get()).containsExactly(old);
        asked.remove().complete(REFUSED);
        pass(4);
        assertThat(get()).containsExactly(REFUSED);
    }

    @Test
    void aFailureStandsForAWhile() {
        var _ = get();
        asked.remove().complete(REFUSED);

        assertThat(get()).containsExactly(REFUSED);
        pass(4);
        assertThat(get()).containsExactly(REFUSED);
        assertThat(asked).isEmpty();
        pass(1);
        assertThat(get()).isEmpty();
        asked.remove().complete(token("a"));
        assertThat(get()).hasSize(1).doesNotContain(REFUSED);
    }

    @Test
    void aDefectIsAFailureToo() {
        var _ = get();
        asked.remove().completeExceptionally(new IllegalStateException("bug"));

        assertThat(get()).first().isInstanceOf(Refused.class);
    }

    @Test
    void aTokenThatWasRefusedIsReplacedOnceInAWhile() {
        var first = token("first");
        var second = token("second");
        var _ = get();
        asked.remove().complete(first);

        assertThat(source.drop(first)).isTrue();
        // Another call with the same one.
        assertThat(source.drop(first)).isTrue();
        var _ = get();
        asked.remove().complete(second);
        assertThat(source.drop(first)).isTrue();
        assertThat(source.drop(second)).isFalse();
        assertThat(get()).containsExactly(second);
        pass(5);
        assertThat(source.drop(second)).isTrue();
        assertThat(get()).isEmpty();
    }
}
