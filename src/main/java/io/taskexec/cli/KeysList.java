package io.taskexec.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints all keys, page by page. */
@Command(name = "list", description = "Lists all keys, newest first.", mixinStandardHelpOptions = true)
final class KeysList implements Callable<Integer> {
    private static final String LINE = "%-16s %-24s %-10s %-20s %-20s %s%n";

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        return server.use(spec, client -> {
            var out = spec.commandLine().getOut();
            out.printf(LINE, "ID", "NAME", "SCOPES", "CREATED", "LAST USED", "VALID");
            var page = client.get("/keys?limit=200");
            show(page, out);
            while (page.path("cursor").isTextual()) {
                page = client.get(
                        "/keys?limit=200&cursor=" + page.path("cursor").asText());
                show(page, out);
            }
            out.flush();
        });
    }

    private static void show(JsonNode page, PrintWriter out) {
        page.path("items")
                .forEach(key -> out.printf(
                        LINE,
                        key.path("key_id").asText(),
                        key.path("name").asText(),
                        StreamSupport.stream(key.path("scopes").spliterator(), false)
                                .map(JsonNode::asText)
                                .collect(Collectors.joining(",")),
                        seconds(key.path("created_at")),
                        seconds(key.path("last_used_at")),
                        validity(key)));
    }

    private static String validity(JsonNode key) {
        if (key.has("revoked_at")) {
            return "revoked " + seconds(key.path("revoked_at"));
        }
        return key.has("expires_at") ? "until " + seconds(key.path("expires_at")) : "for ever";
    }

    private static String seconds(JsonNode time) {
        return time.isTextual() ? time.asText().replaceFirst("\\.\\d+", "") : "never";
    }
}
