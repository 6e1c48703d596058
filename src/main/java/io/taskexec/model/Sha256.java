package io.taskexec.model;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The SHA-256 of the platform. */
public final class Sha256 {
    private Sha256() {}

    /** A new digest, of nothing yet. */
    public static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
