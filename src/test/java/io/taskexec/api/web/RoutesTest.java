package io.taskexec.api.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.MainClasses;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoutesTest {
    /** The paths of the methods of resources, each with its verbs. */
    private static Stream<String> resources() {
        var verbs = new TreeMap<String, Set<String>>();
        for (var type : MainClasses.ALL) {
            if (type.isAnnotatedWith(Path.class)) {
                var base = type.getAnnotationOfType(Path.class).value();
                for (var method : type.getMethods()) {
                    var below = method.tryGetAnnotationOfType(Path.class).map(Path::value);
                    method.getAnnotations().stream()
                            .map(annotation -> annotation.getRawType().tryGetAnnotationOfType(HttpMethod.class))
                            .flatMap(Optional::stream)
                            .forEach(verb -> verbs.computeIfAbsent(base + below.orElse(""), _ -> new TreeSet<>())
                                    .add(verb.value()));
                }
            }
        }
        return verbs.entrySet().stream().map(route -> route.getKey() + " " + String.join(" ", route.getValue()));
    }

    @Test
    void theRoutesAreThoseOfTheResources() {
        assertThat(Routes.ALL.lines())
                .containsExactlyInAnyOrderElementsOf(resources().toList());
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "none",
            value = {
                "/jobs, /jobs",
                "/jobs/, /jobs",
                "/jobs/a, /jobs/{id}",
                "/jobs/batch, /jobs/batch",
                "/jobs/batch/executions, /jobs/{id}/executions",
                "/executions/bulk, /executions/bulk",
                "/configs/a%2Fb, /configs/{name}",
                "/job, none",
                "/, none",
                "'', none"
            })
    void aPathHasTheRouteThatAnswers(String path, String template) {
        assertThat(Routes.template(path)).isEqualTo(template);
    }
}
