package io.taskexec.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.client.Pages;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerPath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Finds breakers that are not closed. The API returns one at a time, so each call checks the next few endpoints. */
final class OpenBreakers {
    private final int maxAtOnce;
    private final Map<String, JsonNode> open = new TreeMap<>();
    private List<String> left = List.of();

    public OpenBreakers(int maxAtOnce) {
        this.maxAtOnce = maxAtOnce;
    }

    List<JsonNode> read(ServerClient client) throws IOException, InterruptedException {
        if (left.isEmpty()) {
            left = endpoints(client);
            open.keySet().retainAll(left);
        }
        var next = left.subList(0, Math.min(maxAtOnce, left.size()));
        for (var name : next) {
            var found = client.find(ServerPath.of("/endpoints").below(name) + "/breaker");
            if (found == null || found.body().path("state").asText().equals("CLOSED")) {
                open.remove(name);
            } else if (found.body() instanceof ObjectNode breaker) {
                open.put(name, breaker.put("endpoint", name));
            }
        }
        left = left.subList(next.size(), left.size());
        return List.copyOf(open.values());
    }

    private static List<String> endpoints(ServerClient client) throws IOException, InterruptedException {
        var names = new ArrayList<String>();
        Pages.read(client, ServerPath.of("/endpoints"), Pages.ALL)
                .items()
                .forEach(endpoint -> names.add(endpoint.path("name").asText()));
        return names;
    }
}
