package io.taskexec.dispatch;

import io.smallrye.mutiny.TimeoutException;
import io.smallrye.mutiny.Uni;
import io.taskexec.dispatch.egress.EgressBlockedException;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.dispatch.http.HttpTarget;
import io.taskexec.dispatch.http.InvalidCallException;
import io.taskexec.model.endpoint.TargetCheck;
import jakarta.inject.Singleton;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The egress guard and the rules for URLs, asked before there is anything to deliver. */
@Singleton
class GuardedTargetCheck implements TargetCheck {
    /** No check waits longer for a name server. The delivery checks again. */
    private static final Duration LONGEST_LOOKUP = Duration.ofSeconds(5);

    private final EgressGuard guard;

    GuardedTargetCheck(EgressGuard guard) {
        this.guard = guard;
    }

    @Override
    public Uni<@Nullable String> refusal(URI target) {
        return refusalOf(() -> guard.check(HttpTarget.of(target).host()));
    }

    @Override
    public Uni<@Nullable String> refusal(String host) {
        return refusalOf(() -> guard.check(host));
    }

    private static Uni<@Nullable String> refusalOf(Supplier<Uni<? extends InetAddress>> check) {
        Uni<@Nullable String> allowed = Uni.createFrom()
                .deferred(check)
                .ifNoItem()
                .after(LONGEST_LOOKUP)
                .fail()
                .map(_ -> noRefusal());
        return allowed.onFailure().recoverWithItem(GuardedTargetCheck::refusal);
    }

    private static @Nullable String noRefusal() {
        return null;
    }

    private static @Nullable String refusal(Throwable failure) {
        return switch (failure) {
            case EgressBlockedException e -> "is not allowed: " + e.getMessage();
            case InvalidCallException e -> "is not usable: " + e.getMessage();
            case UnknownHostException _, TimeoutException _ -> null;
            default -> "cannot be checked";
        };
    }
}
