package io.taskexec.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Compares the records of the client with the schemas of the OpenAPI document of the server. */
class ModelsTest {
    private static final Path MODELS = Path.of("src", "main", "java", "io", "taskexec", "client", "model");

    /** Records whose schemas have other names. */
    private static final Map<String, String> NAMES = Map.of("Failure", "DeliveryError");

    /** It only tells an operation from a preview, which is another record here. */
    private static final String MARK = "Operation.kind";

    @Test
    void aRecordHasAllFieldsOfItsSchema() throws IOException, ClassNotFoundException {
        var schemas = Json.API
                .readTree(Files.readString(Path.of("..", "..", "docs", "openapi.json")))
                .at("/components/schemas");
        var compared = 0;
        try (var files = Files.list(MODELS)) {
            for (var file : files.map(path -> path.getFileName().toString()).toList()) {
                var name = file.replace(".java", "");
                var schema = schemas.path(NAMES.getOrDefault(name, name));
                var type = file.equals("package-info.java") ? null : Class.forName("io.taskexec.client.model." + name);
                if (type != null && type.isRecord() && schema.has("properties")) {
                    assertThat(components(type)).as(name).containsAll(fields(name, schema));
                    compared++;
                }
            }
        }
        assertThat(compared).isGreaterThan(20);
    }

    private static Set<String> components(Class<?> type) {
        var naming = new SnakeCaseStrategy();
        var names = new TreeSet<String>();
        Arrays.stream(type.getRecordComponents()).forEach(one -> names.add(naming.translate(one.getName())));
        return names;
    }

    private static Set<String> fields(String name, JsonNode schema) {
        var names = new TreeSet<String>();
        schema.path("properties").fieldNames().forEachRemaining(names::add);
        names.removeIf(field -> MARK.equals(name + "." + field));
        return names;
    }
}
