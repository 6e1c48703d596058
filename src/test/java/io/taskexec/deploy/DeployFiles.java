package io.taskexec.deploy;

import static io.taskexec.testing.TestFiles.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/** The files that taskexec is deployed with. */
final class DeployFiles {
    static final Path DEPLOY = Path.of("deploy");
    static final Path COMPOSE = Path.of("docker-compose.yml");
    static final Path FLAKE = Path.of("flake.nix");

    private static final JsonMapper JSON = new JsonMapper();

    private DeployFiles() {}

    /** All of them but documents, which are checked with the other documents. */
    static List<Path> all() {
        try (var files = Files.walk(DEPLOY)) {
            return Stream.concat(files.filter(Files::isRegularFile), Stream.of(COMPOSE, FLAKE))
                    .filter(file -> !file.toString().endsWith(".md"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The documents of a YAML file, in which no key may be repeated. */
    static List<JsonNode> yaml(Path file) {
        var settings = LoadSettings.builder().setSchema(new CoreSchema()).build();
        var documents = new ArrayList<JsonNode>();
        new Load(settings).loadAllFromString(text(file)).forEach(document -> documents.add(JSON.valueToTree(document)));
        return documents;
    }

    static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The texts of a list; none when it is missing. */
    static List<String> texts(JsonNode list) {
        var texts = new ArrayList<String>();
        list.forEach(text -> texts.add(text.asText()));
        return texts;
    }
}
