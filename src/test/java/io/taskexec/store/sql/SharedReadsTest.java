package io.taskexec.store.sql;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SharedReadsTest {
    private final List<CompletableFuture<@Nullable String>> begun = new ArrayList<>();
    private final SharedReads<String, @Nullable String> reads = new SharedReads<>(Caffeine.newBuilder(), _ -> {
        var read = new CompletableFuture<@Nullable String>();
        begun.add(read);
        return Uni.createFrom().completionStage(read);
    });

    private UniAssertSubscriber<@Nullable String> asked(String key) {
        return reads.get(key).subscribe().withSubscriber(UniAssertSubscriber.<@Nullable String>create());
    }

    @Test
    void thoseWhoWaitGoOnInTheOrderInWhichTheyAsked() {
        var order = new ArrayList<Integer>();
        IntStream.range(0, 100).forEach(n -> {
            var _ = reads.get("a").subscribe().with(_ -> order.add(n));
        });
        assertThat(begun).hasSize(1);

        begun.getFirst().complete("one");

        assertThat(order).isSorted().hasSize(100);
    }

    @Test
    void whatWasReadIsKeptForItsKey() {
        var _ = asked("a");
        begun.getFirst().complete("one");

        asked("a").assertItem("one");
        asked("b").assertNotTerminated();

        assertThat(begun).hasSize(2);
    }

    @Test
    void whatDoesNotExistIsReadAgain() {
        var first = asked("a");
        begun.getFirst().complete(null);
        first.assertItem(null);

        var second = asked("a");
        begun.get(1).complete("one");

        second.assertItem("one");
    }

    @Test
    void whatFailedIsReadAgain() {
        var first = asked("a");
        var second = asked("a");
        begun.getFirst().completeExceptionally(new IllegalStateException("broken"));
        first.assertFailedWith(IllegalStateException.class, "broken");
        second.assertFailedWith(IllegalStateException.class, "broken");

        var third = asked("a");
        begun.get(1).complete("one");

        third.assertItem("one");
    }

    @Test
    void aCallerWhoGoesAwayLeavesTheReadToTheOthers() {
        var first = asked("a");
        var second = asked("a");

        first.cancel();

        begun.getFirst().complete("one");
        second.assertItem("one");
        asked("a").assertItem("one");
    }

    @Test
    void whatIsForgottenDuringAReadIsReadAgain() {
        var first = asked("a");

        reads.forget("a");

        var second = asked("a");
        begun.get(1).complete("new");
        begun.getFirst().complete("old");
        first.assertItem("old");
        second.assertItem("new");
        asked("a").assertItem("new");
    }
}
