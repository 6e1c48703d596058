package io.taskexec.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.client.Pages;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerPath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The breakers that are not closed. The API tells of one at a time, so each look is at the next few endpoints. */
final class Breakers {
    private final int mostAtOnce;
    private final Map<String, JsonNode> troubled = new TreeMap<>();
    private List<String> left = List.of();

    public Breakers(int mostAtOnce) {
        this.mostAtOnce = mostAtOnce;
    }

    List<JsonNode> look(ServerClient client) throws RefusedException, IOException, InterruptedException {
        if (left.isEmpty()) {
            left = endpoints(client);
            troubled.keySet().retainAll(left);
        }
        var next = left.subList(0, Math.min(mostAtOnce, left.size()));
        for (var name : next) {
            var found = client.find(ServerPath.of("/endpoints").below(name) + "/breaker");
            if (found == null || found.body().path("state").asText().equals("CLOSED")) {
                troubled.remove(name);
            } else if (found.body() instanceof ObjectNode breaker) {
                troubled.put(name, breaker.put("endpoint", name));
            }
        }
        left = left.subList(next.size(), left.size());
        return List.copyOf(troubled.values());
    }

    private static List<String> endpoints(ServerClient client)
            throws RefusedException, IOException, InterruptedException {
        var names = new ArrayList<String>();
        Pages.read(client, ServerPath.of("/endpoints"), Pages.ALL)
                .items()
                .forEach(endpoint -> names.add(endpoint.path("name").asText()));
        return names;
    }
}
