package io.taskexec.api.filter;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.taskexec.api.filter.QueryParameters.Accepted;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.Path;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jboss.resteasy.reactive.RestQuery;
import org.junit.jupiter.api.Test;

class QueryParametersTest {
    /**
     * A parameter of a method.
     *
     * @param repeated whether it may have more than one value
     */
    private record Parameter(String name, boolean repeated) {
        static Parameter of(AnnotatedElement element, String itsName, Type type) {
            var given = element.getAnnotation(RestQuery.class).value();
            return new Parameter(
                    given.isEmpty() ? itsName : given,
                    type.getTypeName().startsWith(List.class.getName())
                            || type.getTypeName().startsWith(Collection.class.getName()));
        }
    }

    @Test
    void theTableHasTheParametersOfAllMethodsOfResources() {
        var actual = new HashMap<String, Accepted>();
        for (var type : new ClassFileImporter().importPackages("io.taskexec.api")) {
            if (type.isAnnotatedWith(Path.class)) {
                addTo(actual, type);
            }
        }

        assertThat(actual).hasSizeGreaterThan(10);
        assertThat(QueryParameters.BY_ROUTE)
                .as("what QueryParameters lists, beside what the methods of the resources take")
                .containsExactlyInAnyOrderEntriesOf(actual);
    }

    private static void addTo(Map<String, Accepted> actual, JavaClass type) {
        for (var method : type.reflect().getDeclaredMethods()) {
            Arrays.stream(method.getAnnotations())
                    .map(annotation -> annotation.annotationType().getAnnotation(HttpMethod.class))
                    .filter(Objects::nonNull)
                    .findFirst()
                    .ifPresent(verb -> {
                        var below = method.getAnnotation(Path.class);
                        var route = verb.value() + " "
                                + type.reflect().getAnnotation(Path.class).value()
                                + (below == null ? "" : below.value());
                        var parameters = parameters(method).toList();
                        if (!parameters.isEmpty()) {
                            actual.put(route, new Accepted(route, names(parameters, false), names(parameters, true)));
                        }
                    });
        }
    }

    private static Set<String> names(List<Parameter> parameters, boolean repeated) {
        var names = new TreeSet<String>();
        parameters.stream()
                .filter(parameter -> parameter.repeated() == repeated)
                .forEach(parameter -> names.add(parameter.name()));
        return names;
    }

    private static Stream<Parameter> parameters(Method method) {
        return Arrays.stream(method.getParameters()).flatMap(parameter -> {
            if (parameter.isAnnotationPresent(BeanParam.class)) {
                return Arrays.stream(parameter.getType().getDeclaredFields())
                        .filter(field -> field.isAnnotationPresent(RestQuery.class))
                        .map(field -> Parameter.of(field, field.getName(), field.getGenericType()));
            }
            return parameter.isAnnotationPresent(RestQuery.class)
                    ? Stream.of(Parameter.of(parameter, parameter.getName(), parameter.getParameterizedType()))
                    : Stream.of();
        });
    }
}
