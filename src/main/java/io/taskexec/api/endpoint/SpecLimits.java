package io.taskexec.api.endpoint;

/** Limits of the specs of all types of endpoints. */
final class SpecLimits {
    /** The longest template of a URL, a list of servers or a name, in characters. */
    static final int MAX_TEXT = 4096;

    static final int MAX_HEADERS = 64;

    /** The longest chain of certificates or private key, in characters. */
    static final int MAX_PEM = 65_536;

    static final int MAX_TIMEOUT_MS = 3_600_000;

    private SpecLimits() {}
}
