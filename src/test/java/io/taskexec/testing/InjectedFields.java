package io.taskexec.testing;

import jakarta.inject.Inject;

/** Sets the static fields of a test class that are marked {@code @Inject}, by their type. */
final class InjectedFields {
    private InjectedFields() {}

    /** Sets those that have exactly the type of {@code value}. */
    static void set(Class<?> test, Object value) {
        for (var field : test.getDeclaredFields()) {
            if (field.getType() == value.getClass() && field.isAnnotationPresent(Inject.class)) {
                try {
                    field.setAccessible(true);
                    field.set(null, value);
                } catch (IllegalAccessException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }
}
