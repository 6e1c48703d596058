package io.taskexec.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Items of a list that the API returns in pages.
 *
 * @param more whether there are more items than requested
 */
public record Pages(List<JsonNode> items, boolean more) {
    /** No limit. */
    public static final int ALL = Integer.MAX_VALUE;

    private static final int PAGE = 200;

    /** Returns the first items of a complete list. */
    public static Pages first(List<JsonNode> items, int max) {
        return items.size() > max ? new Pages(items.subList(0, max), true) : new Pages(items, false);
    }

    /** Reads the first items. */
    public static Pages read(ServerClient client, ServerPath path, int max) throws IOException, InterruptedException {
        var items = new ArrayList<JsonNode>();
        var next = path.with("limit", Integer.toString(Math.min(PAGE, max)));
        while (true) {
            var page = client.get(next.toString());
            page.path("items").forEach(items::add);
            var cursor = page.path("cursor");
            if (!cursor.isTextual() || items.size() >= max) {
                var first = first(List.copyOf(items), max);
                return new Pages(first.items(), first.more() || cursor.isTextual());
            }
            next = path.with("limit", Integer.toString(Math.min(PAGE, max - items.size())))
                    .with("cursor", cursor.asText());
        }
    }
}
