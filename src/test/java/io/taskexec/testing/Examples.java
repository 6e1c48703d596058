package io.taskexec.testing;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.text.MalformedTextException;
import io.taskexec.cli.text.YamlReader;
import io.taskexec.model.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The manifests of the folder examples as bodies of requests. */
public final class Examples {
    private static final Path FOLDER = Path.of("examples");

    private Examples() {}

    /** What a file has of a kind, as the API takes it. */
    public static String body(String file, String kind) throws IOException {
        try {
            for (var document : YamlReader.read(file, Files.readString(FOLDER.resolve(file)))) {
                if (document.tree() instanceof ObjectNode fields
                        && fields.path("kind").asText().equals(kind)) {
                    return Json.write(fields.without("kind"));
                }
            }
        } catch (MalformedTextException e) {
            throw new AssertionError(file, e);
        }
        throw new AssertionError(file + " has no " + kind);
    }
}
