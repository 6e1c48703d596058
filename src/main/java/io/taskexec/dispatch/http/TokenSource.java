package io.taskexec.dispatch.http;

import io.smallrye.mutiny.Uni;
import io.taskexec.dispatch.http.TokenAnswer.Refused;
import io.taskexec.dispatch.http.TokenAnswer.Token;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The access token of one client. All who need it while it is asked for share the answer. It is renewed while it still
 * holds, so that no call has to wait for that, and a token server that cannot give one is left alone for a while.
 */
final class TokenSource {
    /** For how long a failure stands, and how soon a token that was refused may be refused again. */
    static final Duration PAUSE = Duration.ofSeconds(5);

    private final LongSupplier nanoTime;
    private @Nullable Token token;
    private @Nullable CompletableFuture<TokenAnswer> asked;
    private @Nullable Refused refused;
    private long refusedAt;
    private long droppedAt;

    TokenSource(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.droppedAt = nanoTime.getAsLong() - PAUSE.toNanos();
    }

    /** The token, or the reason why it is absent; {@code server} is asked when it is time to, and must not fail. */
    Uni<TokenAnswer> get(Supplier<Uni<TokenAnswer>> server) {
        CompletableFuture<TokenAnswer> mine = null;
        CompletableFuture<TokenAnswer> others;
        TokenAnswer known;
        synchronized (this) {
            var now = nanoTime.getAsLong();
            if (token != null && now - token.renewAt() < 0) {
                return Uni.createFrom().item(token);
            }
            if (asked == null && !isPaused(now)) {
                mine = new CompletableFuture<>();
                asked = mine;
            }
            others = asked;
            known = token != null && now - token.expiresAt() < 0 ? token : others == null ? refused : null;
        }
        if (mine != null) {
            ask(server, mine);
        }
        return known != null
                ? Uni.createFrom().item(known)
                // A copy, since who gives up waiting must not end it for the others.
                : Uni.createFrom()
                        .completionStage(() -> Objects.requireNonNull(others).copy());
    }

    /** Outside the lock, since the answer may be there at once. */
    private void ask(Supplier<Uni<TokenAnswer>> server, CompletableFuture<TokenAnswer> mine) {
        var _ = Uni.createFrom()
                .deferred(server::get)
                .subscribe()
                .with(
                        answer -> answered(mine, answer),
                        failure -> answered(mine, new Refused(CallFailure.defect(failure))));
    }

    private void answered(CompletableFuture<TokenAnswer> mine, TokenAnswer answer) {
        synchronized (this) {
            asked = null;
            switch (answer) {
                case Token issued -> {
                    token = issued;
                    refused = null;
                }
                case Refused no -> {
                    refused = no;
                    refusedAt = nanoTime.getAsLong();
                }
            }
        }
        mine.complete(answer);
    }

    private boolean isPaused(long now) {
        return refused != null && now - refusedAt < PAUSE.toNanos();
    }

    /**
     * A receiver has refused {@code old}. Returns whether another token is worth a try, which it is not when the one
     * before was refused just now: the receiver may refuse all of them.
     */
    synchronized boolean drop(Token old) {
        if (!old.equals(token)) {
            return true;
        }
        var now = nanoTime.getAsLong();
        if (now - droppedAt < PAUSE.toNanos()) {
            return false;
        }
        token = null;
        droppedAt = now;
        return true;
    }
}
