package io.taskexec.template;

import org.jspecify.annotations.Nullable;

/** Finds secrets by name. */
@FunctionalInterface
public interface SecretSource {
    /** A source that has no secrets. */
    SecretSource NONE = _ -> null;

    /** The value of the secret, null when there is none of that name. */
    @Nullable
    String find(String name);
}
