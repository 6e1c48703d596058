package io.taskexec.resolve;

import io.taskexec.secret.CallbackTokens;
import io.taskexec.secret.CallbackTokens.Purpose;
import jakarta.inject.Singleton;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Makes the addresses at which receivers say how an attempt ends, and people decide about an approval. */
@Singleton
public final class CallbackAddresses {
    private final CallbackTokens tokens;
    private final @Nullable String base;

    public CallbackAddresses(CallbackTokens tokens, PublicConfig config) {
        this.tokens = tokens;
        this.base = config.checked().map(String::valueOf).orElse(null);
    }

    /** Whether this process knows its public address. */
    public boolean areKnown() {
        return base != null;
    }

    /** The address for the callbacks of an attempt; throws when this process does not know its public address. */
    public String ofCallback(UUID executionId, int attempt) {
        return of("/callbacks/", tokens.of(Purpose.CALLBACK, executionId, attempt));
    }

    /** The address of the page for an approval; throws when this process does not know its public address. */
    public String ofPage(UUID executionId, int attempt) {
        return of("/approve/", tokenOfPage(executionId, attempt));
    }

    /** The token in that address. */
    String tokenOfPage(UUID executionId, int attempt) {
        return tokens.of(Purpose.APPROVAL, executionId, attempt);
    }

    /** The beginning of the addresses of pages; throws when this process does not know its public address. */
    public String ofPages() {
        return of("/approve/", "");
    }

    private String of(String path, String token) {
        if (base == null) {
            throw new IllegalStateException("TE_PUBLIC_URL is not set");
        }
        return base + path + token;
    }
}
