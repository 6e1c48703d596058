package io.taskexec.resolve;

/** A secret that cannot do what its endpoint wants it for; the message names it and does not have its value. */
final class UnusableSecretException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnusableSecretException(String message) {
        super(message);
    }
}
