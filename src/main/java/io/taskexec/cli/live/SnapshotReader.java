package io.taskexec.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.client.Pages;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerPath;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads snapshots of a server. */
final class SnapshotReader {
    private static final int ROWS = 8;

    private final ServerClient client;
    private final @Nullable EventRates rates;

    /** @param rates null for a single snapshot */
    SnapshotReader(ServerClient client, @Nullable EventRates rates) {
        this.client = client;
        this.rates = rates;
    }

    ServerSnapshot read() throws IOException, InterruptedException {
        var refusal = rates == null ? null : rates.refusal();
        return new ServerSnapshot(
                Instant.now(),
                rates == null || refusal != null ? null : rates.perSecond(),
                client.get("/overview"),
                executions("RUNNING"),
                executions("DEFERRED"),
                executions("FAILED"),
                refusal == null ? null : "No rates of events: " + refusal);
    }

    private List<JsonNode> executions(String status) throws IOException, InterruptedException {
        return Pages.read(client, ServerPath.of("/executions").with("status", status), ROWS)
                .items();
    }
}
