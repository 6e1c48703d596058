package io.taskexec.config;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import io.taskexec.model.Setting;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One setting: a method of an interface of settings, and what is said of it there.
 *
 * @param property what the setting is called where the configuration is read
 * @param about what it means and what it may be
 */
public record KnownSetting(Method method, String property, Setting about) implements Comparable<KnownSetting> {
    private static final String FILE = "_FILE";

    /** The settings of one interface. */
    static Stream<KnownSetting> of(Class<?> mapping) {
        var prefix = mapping.getAnnotation(ConfigMapping.class).prefix();
        return Arrays.stream(mapping.getDeclaredMethods())
                .filter(method -> Modifier.isAbstract(method.getModifiers()))
                .map(method -> new KnownSetting(method, prefix + "." + propertyName(method), about(method)));
    }

    private static Setting about(Method method) {
        var about = method.getAnnotation(Setting.class);
        if (about == null) {
            throw new IllegalStateException("%s.%s needs an annotation @Setting that says what it means."
                    .formatted(method.getDeclaringClass().getSimpleName(), method.getName()));
        }
        return about;
    }

    private static String propertyName(Method method) {
        var given = method.getAnnotation(WithName.class);
        return given == null ? method.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT) : given.value();
    }

    /** The interface that declares it. */
    Class<?> mapping() {
        return method.getDeclaringClass();
    }

    /** The name of the environment variable. */
    public String name() {
        return property.toUpperCase(Locale.ROOT).replaceAll("[.-]", "_");
    }

    /** The name of the environment variable with the path of a file that holds the value. */
    String fileName() {
        return name() + FILE;
    }

    /** The names of all environment variables that it is read from. */
    Stream<String> names() {
        return about.file() ? Stream.of(name(), fileName()) : Stream.of(name());
    }

    /** Its default, null when there is no constant one. */
    @Nullable
    public String constant() {
        var constant = method.getAnnotation(WithDefault.class);
        return constant == null ? null : constant.value();
    }

    /** The words that it may be; null when it is free text or a number. */
    Object @Nullable [] words() {
        return innermost(method.getGenericReturnType()).getEnumConstants();
    }

    private static Class<?> innermost(Type type) {
        return type instanceof ParameterizedType generic
                ? innermost(generic.getActualTypeArguments()[0])
                : (Class<?>) type;
    }

    /** A value without its secret parts. */
    public String shown(String value) {
        return switch (about.shown()) {
            case ALL -> words() == null ? value : value.toLowerCase(Locale.ROOT);
            case WITHOUT_PASSWORD -> withoutPassword(value);
            case NOTHING -> "***";
        };
    }

    /** The password of the user, and parameters that are one; all of what is no URL with a user. */
    private static String withoutPassword(String url) {
        var masked = url.replaceFirst("(://[^:@/?]*):.*@", "$1:***@");
        return masked.equals(url) && url.contains("@")
                ? "***"
                : masked.replaceAll("(?i)([?&][^=&]*(?:password|secret|token)[^=&]*=)[^&]*", "$1***");
    }

    /** Throws when the value that {@code mapping} gives is out of bounds. */
    void check(Object mapping) {
        switch (value(mapping)) {
            case Number number -> within(name(), number.longValue());
            case String text -> within("The length of " + name(), text.length());
            default -> {
                // Neither a list nor a word has a size that matters.
            }
        }
    }

    private Object value(Object mapping) {
        try {
            var value = method.invoke(mapping);
            return value instanceof Optional<?> some && some.isPresent() ? some.get() : value;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(name() + " cannot be read", e);
        }
    }

    private void within(String what, long value) {
        if (value < about.min() || value > about.max()) {
            throw new StartRefusedException(
                    "%s must be from %d to %d, but is %d.".formatted(what, about.min(), about.max(), value));
        }
    }

    @Override
    public int compareTo(KnownSetting other) {
        return name().compareTo(other.name());
    }
}
