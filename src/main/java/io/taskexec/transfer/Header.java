package io.taskexec.transfer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.model.Json;
import io.taskexec.store.TransferException;
import java.time.Instant;
import java.util.UUID;

/**
 * The first line of an export.
 *
 * @param schema the version of the schema that the rows are of
 * @param exportId tells one export from another
 */
public record Header(String schema, UUID exportId, Instant exportedAt) {
    static final String KIND = "taskexec-export";
    private static final int FORMAT = 1;

    String line() {
        return Json.write(JsonNodeFactory.instance
                .objectNode()
                .put("kind", KIND)
                .put("format", FORMAT)
                .put("schema", schema)
                .put("export_id", exportId.toString())
                .put("exported_at", exportedAt.toString()));
    }

    static Header parse(String line) {
        try {
            var tree = Json.parse(line);
            if (!tree.path("kind").asText().equals(KIND)) {
                throw notAnExport();
            }
            if (tree.path("format").asInt() != FORMAT) {
                throw new TransferException("The export is of another format (" + tree.path("format")
                        + ") than this taskexec reads (" + FORMAT + ").");
            }
            return new Header(
                    tree.path("schema").asText(),
                    UUID.fromString(tree.path("export_id").asText()),
                    Instant.parse(tree.path("exported_at").asText()));
        } catch (JsonProcessingException | RuntimeException e) {
            if (e instanceof TransferException told) {
                throw told;
            }
            throw notAnExport();
        }
    }

    private static TransferException notAnExport() {
        return new TransferException("The first line is not that of an export of taskexec.");
    }
}
