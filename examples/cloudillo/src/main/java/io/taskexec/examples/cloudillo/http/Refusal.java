package io.taskexec.examples.cloudillo.http;

/** Ends a request with an error. */
final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final String code;

    Refusal(int status, String code, String message) {
        super(message);
        this.status = status;
        this.code = code;
    }

    static Refusal badRequest(String message) {
        return new Refusal(400, "INVALID_REQUEST", message);
    }

    static Refusal notFound(String message) {
        return new Refusal(404, "NOT_FOUND", message);
    }

    int status() {
        return status;
    }

    String code() {
        return code;
    }
}
