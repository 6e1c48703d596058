package io.taskexec.secret;

/** A stored secret that cannot be decrypted; the message names the secret and the key id and contains no material. */
public final class SecretUnreadableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    SecretUnreadableException(String message) {
        super(message);
    }
}
