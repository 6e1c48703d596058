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

/** Looks at a server as often as it is asked; what costs the server much, less often than that. */
final class Watcher {
    private static final Duration BETWEEN_COUNTS = Duration.ofSeconds(5);
    private static final int FORBIDDEN = 403;
    private static final int ROWS = 8;

    private final ServerClient client;
    private final @Nullable EventRates rates;
    private final Breakers breakers;
    private List<JsonNode> queues = List.of();
    private @Nullable String withoutQueues;
    private long countedAt = System.nanoTime() - BETWEEN_COUNTS.toNanos();

    /** @param rates null when there is no time to count */
    Watcher(ServerClient client, @Nullable EventRates rates, int breakersAtOnce) {
        this.client = client;
        this.rates = rates;
        this.breakers = new Breakers(breakersAtOnce);
    }

    Snapshot look() throws RefusedException, IOException, InterruptedException {
        countQueues();
        return new Snapshot(
                client.base().toString(),
                Instant.now(),
                rates == null || rates.refusal() != null ? null : rates.perSecond(),
                queues,
                breakers.look(client),
                executions("RUNNING"),
                executions("FAILED"),
                remark());
    }

    private void countQueues() throws RefusedException, IOException, InterruptedException {
        if (System.nanoTime() - countedAt < BETWEEN_COUNTS.toNanos()) {
            return;
        }
        try {
            queues = Queues.all(client);
        } catch (RefusedException e) {
            if (e.status() != FORBIDDEN) {
                throw e;
            }
            withoutQueues = "Queues are counted for keys with the scope jobs only.";
        }
        countedAt = System.nanoTime();
    }

    private List<JsonNode> executions(String status) throws RefusedException, IOException, InterruptedException {
        return Pages.read(client, ServerPath.of("/executions").with("status", status), ROWS)
                .items();
    }

    private @Nullable String remark() {
        var reasons = new ArrayList<String>();
        if (rates != null && rates.refusal() != null) {
            reasons.add("No rates: " + rates.refusal());
        }
        if (withoutQueues != null) {
            reasons.add(withoutQueues);
        }
        return reasons.isEmpty() ? null : String.join(" ", reasons);
    }
}
