package io.taskexec.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.Queues;
import io.taskexec.cli.client.Pages;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerPath;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads snapshots of a server; expensive parts less often than the others. */
final class SnapshotReader {
    private static final Duration BETWEEN_COUNTS = Duration.ofSeconds(5);
    private static final int FORBIDDEN = 403;
    private static final int ROWS = 8;

    private final ServerClient client;
    private final @Nullable EventRates rates;
    private final OpenBreakers breakers;
    private List<JsonNode> queues = List.of();
    private @Nullable String queuesRefusal;
    private long countedAt = System.nanoTime() - BETWEEN_COUNTS.toNanos();

    /** @param rates null for a single snapshot */
    SnapshotReader(ServerClient client, @Nullable EventRates rates, int breakersAtOnce) {
        this.client = client;
        this.rates = rates;
        this.breakers = new OpenBreakers(breakersAtOnce);
    }

    ServerSnapshot read() throws IOException, InterruptedException {
        countQueues();
        return new ServerSnapshot(
                Instant.now(),
                rates == null || rates.refusal() != null ? null : rates.perSecond(),
                queues,
                breakers.read(client),
                executions("RUNNING"),
                executions("FAILED"),
                remark());
    }

    private void countQueues() throws IOException, InterruptedException {
        if (System.nanoTime() - countedAt < BETWEEN_COUNTS.toNanos()) {
            return;
        }
        try {
            queues = Queues.all(client);
        } catch (RefusedException e) {
            if (e.status() != FORBIDDEN) {
                throw e;
            }
            queuesRefusal = "Queues are counted for keys with the scope jobs only.";
        }
        countedAt = System.nanoTime();
    }

    private List<JsonNode> executions(String status) throws IOException, InterruptedException {
        return Pages.read(client, ServerPath.of("/executions").with("status", status), ROWS)
                .items();
    }

    private @Nullable String remark() {
        var reasons = new ArrayList<String>();
        if (rates != null && rates.refusal() != null) {
            reasons.add("No rates: " + rates.refusal());
        }
        if (queuesRefusal != null) {
            reasons.add(queuesRefusal);
        }
        return reasons.isEmpty() ? null : String.join(" ", reasons);
    }
}
