package io.taskexec.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import io.quarkus.runtime.annotations.RegisterForReflection;
import io.taskexec.MainClasses;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Reads each builder of a cache in the bytecode: the class that Caffeine looks up depends on it. */
class CacheClassesTest {
    private static final String PACKAGE = Caffeine.class.getPackageName() + ".";

    /** Those whose letters this knows; a ticker has none. */
    private static final Set<String> KNOWN = Set.of(
            "newBuilder", "maximumSize", "expireAfterWrite", "expireAfterAccess", "ticker", "build", "buildAsync");

    @Test
    void theClassesOfAllCachesAreRegisteredAndNoOthers() throws ClassNotFoundException {
        var needed = new TreeSet<String>();
        for (var type : MainClasses.ALL) {
            for (var unit : type.getCodeUnits()) {
                var calls = calls(unit);
                if (!calls.isEmpty()) {
                    assertThat(KNOWN).as(unit.getFullName()).containsAll(calls);
                    needed.addAll(classes(calls));
                }
            }
        }

        assertThat(CacheClasses.class.getAnnotation(RegisterForReflection.class).classNames())
                .containsExactlyInAnyOrderElementsOf(needed);
        for (var name : needed) {
            assertThat(Class.forName(name).getDeclaredConstructors()).isNotEmpty();
        }
    }

    private static Set<String> calls(JavaCodeUnit unit) {
        return unit.getMethodCallsFromSelf().stream()
                .map(call -> call.getTarget())
                .filter(target -> target.getOwner().isEquivalentTo(Caffeine.class))
                .map(target -> target.getName())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Strong keys and values, a maximum, and times; the entries of what is asynchronous are weighed. */
    private static Set<String> classes(Set<String> calls) {
        var times = (calls.contains("expireAfterAccess") ? "A" : "") + (calls.contains("expireAfterWrite") ? "W" : "");
        var classes = new TreeSet<String>();
        classes.add(PACKAGE + "SSMS" + times);
        if (calls.contains("build")) {
            classes.add(PACKAGE + "PS" + times + "MS");
        }
        if (calls.contains("buildAsync")) {
            classes.add(PACKAGE + "PS" + times + "MW");
        }
        return classes;
    }
}
