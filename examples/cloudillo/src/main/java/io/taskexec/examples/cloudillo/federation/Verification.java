package io.taskexec.examples.cloudillo.federation;

import io.taskexec.client.worker.PermanentException;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Verifies that an action is one that its issuer has signed, and that it is let in. */
public final class Verification {
    private static final int MAX_FILES = 100;

    private final Remote remote;
    private final String me;

    /**
     * Makes it.
     *
     * @param me the identity of this instance
     */
    public Verification(Remote remote, String me) {
        this.remote = remote;
        this.me = me;
    }

    /**
     * Asks the issuer for its keys, unless the action is refused without them: a stranger causes no request.
     *
     * @param issuer as the owner knows it; null for a stranger
     * @throws PermanentException when the action is refused
     * @throws IOException when the issuer cannot be asked
     */
    public void verify(ActionToken token, @Nullable Contact issuer, Instant now)
            throws IOException, InterruptedException {
        Permissions.check(token.claims(), me, issuer, now);
        if (token.claims().files().size() > MAX_FILES) {
            throw new PermanentException(
                    "The action has more than %d files.".formatted(MAX_FILES), "TOO_MANY_FILES", null);
        }
        if (!isSigned(token)) {
            throw new PermanentException("The action is not signed by its issuer.", "INVALID_SIGNATURE", null);
        }
    }

    private boolean isSigned(ActionToken token) throws IOException, InterruptedException {
        for (var key : remote.keys(Objects.requireNonNullElse(token.claims().issuer(), ""))) {
            try {
                if (token.keyId().equals(key.kid()) && token.isSignedBy(key.publicKey())) {
                    return true;
                }
            } catch (GeneralSecurityException e) {
                throw new PermanentException("The key of the issuer is malformed.", "MALFORMED_KEYS", e);
            }
        }
        return false;
    }
}
