package io.taskexec.api;

import org.jspecify.annotations.Nullable;

/** Parameters of a query that are true or false. */
final class Flags {
    private Flags() {}

    /** False when it is absent; the framework would take whatever is not 'true' for no. */
    static boolean parse(String name, @Nullable String value) {
        return switch (value) {
            case "true" -> true;
            case "false" -> false;
            case null -> false;
            default -> throw new ApiException(ErrorCode.INVALID_REQUEST, "'" + name + "' must be true or false.");
        };
    }
}
