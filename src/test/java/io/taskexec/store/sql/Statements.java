package io.taskexec.store.sql;

import io.taskexec.store.endpoint.WaitingJobs;
import io.taskexec.store.invariant.InvariantQuery;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The statements of the store that are constants, by the names of the constants. */
final class Statements {
    private static final Path SOURCES = Path.of("src/main/java/io/taskexec/store");

    private Statements() {}

    static Map<String, String> ofStore() {
        var statements = new TreeMap<String, String>();
        classes().forEach(type -> {
            for (var field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) && !field.isSynthetic()) {
                    add(statements, type.getSimpleName() + "." + field.getName(), value(field));
                }
            }
        });
        return statements;
    }

    private static void add(Map<String, String> statements, String name, Object value) {
        switch (value) {
            case String text
            when text.matches("(?s)\\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\\b.*") -> statements.put(name, text);
            case EventedStatement change -> {
                statements.put(name + " alone", change.alone());
                statements.put(name + " withEvents", change.withEvents());
            }
            case WaitingJobs jobs -> {
                statements.put(name + " waiting", jobs.waiting());
                statements.put(name + " lock", jobs.lock());
                statements.put(name + " count", jobs.count());
                statements.put(name + " settled", jobs.settled());
            }
            case InvariantQuery query -> statements.put(name, query.counted());
            default -> {}
        }
    }

    private static Object value(Field field) {
        try {
            field.setAccessible(true);
            var value = field.get(null);
            return value == null ? "" : value;
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private static Stream<Class<?>> classes() {
        try (var files = Files.walk(SOURCES)) {
            return files
                    .map(file -> SOURCES.relativize(file).toString())
                    .filter(file -> file.endsWith(".java") && !file.endsWith("package-info.java"))
                    .map(file -> file.replace(".java", "").replace('/', '.'))
                    .sorted()
                    .<Class<?>>map(Statements::load)
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName("io.taskexec.store." + name);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }
}
