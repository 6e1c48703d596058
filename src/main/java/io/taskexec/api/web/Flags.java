package io.taskexec.api.web;

import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import org.jspecify.annotations.Nullable;

/** Parameters of a query that are true or false. */
public final class Flags {
    private Flags() {}

    /** False when it is absent; the framework would take whatever is not 'true' for no. */
    public static boolean parse(String name, @Nullable String value) {
        return switch (value) {
            case "true" -> true;
            case "false" -> false;
            case null -> false;
            default -> throw new ApiException(ErrorCode.INVALID_REQUEST, "'" + name + "' must be true or false.");
        };
    }
}
