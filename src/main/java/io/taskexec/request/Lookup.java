package io.taskexec.request;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Answers requests for resources that do not exist. */
public final class Lookup {
    private Lookup() {}

    /** Returns the resource; throws {@code code} when there is none. */
    public static <T> T found(@Nullable T resource, ErrorCode code, String id) {
        if (resource == null) {
            throw notFound(code, id);
        }
        return resource;
    }

    public static ApiException notFound(ErrorCode code, String id) {
        return new ApiException(code, "%s '%s' does not exist.".formatted(Objects.requireNonNull(code.noun()), id));
    }
}
