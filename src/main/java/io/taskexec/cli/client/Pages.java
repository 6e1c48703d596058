package io.taskexec.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a list of the API has, page by page.
 *
 * @param more whether there is more than was asked for
 */
public record Pages(List<JsonNode> items, boolean more) {
    /** As many as there are. */
    public static final int ALL = Integer.MAX_VALUE;

    private static final int PAGE = 200;

    /** The first {@code most} of what is known already. */
    public static Pages first(List<JsonNode> items, int most) {
        return items.size() > most ? new Pages(items.subList(0, most), true) : new Pages(items, false);
    }

    /** The first {@code most} items. */
    public static Pages read(ServerClient client, ServerPath path, int most)
            throws RefusedException, IOException, InterruptedException {
        var items = new ArrayList<JsonNode>();
        var next = path.with("limit", Integer.toString(Math.min(PAGE, most)));
        while (true) {
            var page = client.get(next.toString());
            page.path("items").forEach(items::add);
            var cursor = page.path("cursor");
            if (!cursor.isTextual() || items.size() >= most) {
                var first = first(List.copyOf(items), most);
                return new Pages(first.items(), first.more() || cursor.isTextual());
            }
            next = path.with("limit", Integer.toString(Math.min(PAGE, most - items.size())))
                    .with("cursor", cursor.asText());
        }
    }
}
