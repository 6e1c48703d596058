package io.taskexec.testing;

import java.lang.reflect.Modifier;

/** Sets static fields of a test class, which it finds by their type. */
final class InjectedFields {
    private InjectedFields() {}

    /** Sets those that have exactly the type of the value. */
    static void set(Class<?> test, Object value) {
        for (var field : test.getDeclaredFields()) {
            if (field.getType() == value.getClass() && isFree(field.getModifiers())) {
                try {
                    field.setAccessible(true);
                    field.set(null, value);
                } catch (IllegalAccessException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    private static boolean isFree(int modifiers) {
        return Modifier.isStatic(modifiers) && !Modifier.isFinal(modifiers);
    }
}
