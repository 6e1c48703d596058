package io.taskexec.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A request and its answer.
 *
 * @param route as the document has it
 * @param at what stands for the parameter of the path, and the query
 * @param expected the status, and the code of an error
 * @param headers what is sent beside the usual
 */
record ContractRow(String route, String at, @Nullable String body, String expected, Map<String, String> headers) {
    private static final Path TABLE = Path.of("src/test/resources/contract.txt");

    /** The rows of the table, in its order: its columns are the answer, the request, and a body if it has one. */
    static Stream<ContractRow> all() {
        try {
            return Files.readString(TABLE, UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .map(ContractRow::parse);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ContractRow parse(String line) {
        var cells = line.split(" \\| ", 3);
        var request = (cells[1].strip() + " ").split(" ", 3);
        var body = cells.length < 3 ? null : cells[2].replaceAll("HTTP\\((.*?)\\)", spec("$1"));
        return of(request[0] + " " + request[1], request[2].strip(), body, cells[0].strip());
    }

    static ContractRow of(String route, String at, @Nullable String body, String expected) {
        return new ContractRow(route, at, body, expected, Map.of());
    }

    /** The type and the spec of an endpoint with this path; {@code HTTP(path)} in the table. */
    static String spec(String path) {
        return """
            "type": "HTTP", "spec": {"url": "http://127.0.0.1:9/%s", "method": "POST"}""".formatted(path);
    }

    ContractRow with(String header, String value) {
        return new ContractRow(route, at, body, expected, Map.of(header, value));
    }

    String method() {
        return route.substring(0, route.indexOf(' '));
    }

    /** Its path, where names of things with an id become that. */
    String path(Map<String, String> ids) {
        var path = route.substring(route.indexOf(' ') + 1);
        var query = at.indexOf('?');
        var parameter = query < 0 ? at : at.substring(0, query);
        var end = query < 0 ? "" : at.substring(query);
        if (path.indexOf('{') == path.lastIndexOf('{')) {
            return path.replaceFirst("\\{\\w+}", ids.getOrDefault(parameter, parameter)) + end;
        }
        var parts = parameter.split("/", 2);
        return path.replaceFirst("\\{\\w+}", parts[0]).replaceFirst("\\{\\w+}", parts[parts.length - 1]) + end;
    }

    int status() {
        return Integer.parseInt(expected.substring(0, 3));
    }

    String code() {
        return expected.substring(3).strip();
    }

    @Override
    public String toString() {
        return route + " " + at + (headers.isEmpty() ? "" : " " + headers) + " -> " + expected;
    }
}
