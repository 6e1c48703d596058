package io.taskexec.wait;

import io.taskexec.secret.CallbackTokens;
import jakarta.inject.Singleton;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Makes the addresses at which receivers say how an attempt ends. */
@Singleton
public final class CallbackAddresses {
    private final CallbackTokens tokens;
    private final @Nullable String base;

    public CallbackAddresses(CallbackTokens tokens, PublicConfig config) {
        this.tokens = tokens;
        this.base = config.checked().map(url -> url + "/callbacks/").orElse(null);
    }

    /** Whether this process knows its public address. */
    public boolean areKnown() {
        return base != null;
    }

    /** The address for an attempt; throws when this process does not know its public address. */
    public String of(UUID executionId, int attempt) {
        if (base == null) {
            throw new IllegalStateException("TE_PUBLIC_URL is not set");
        }
        return base + tokens.of(executionId, attempt);
    }
}
