package io.taskexec.model;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/** The SHA-256 of the platform. */
public final class Sha256 {
    /** Of nothing, and never used: to copy it takes a fraction of the time that the platform needs to find its own. */
    private static volatile @Nullable MessageDigest empty;

    private Sha256() {}

    /** A new digest, of nothing yet. */
    public static MessageDigest digest() {
        try {
            var known = empty;
            if (known == null) {
                known = MessageDigest.getInstance("SHA-256");
                empty = known;
            }
            return (MessageDigest) known.clone();
        } catch (NoSuchAlgorithmException | CloneNotSupportedException e) {
            throw new IllegalStateException("every Java platform has a SHA-256 that can be copied", e);
        }
    }
}
