package io.taskexec.web.chart;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Draws jobs that wait for each other as SVG: each right of all that it waits for.
 *
 * @param nodes each behind those that it waits for, or anywhere
 */
public record Graph(List<Node> nodes) {
    private static final int BOX_WIDTH = 150;
    private static final int BOX_HEIGHT = 40;
    private static final int GAP_X = 50;
    private static final int GAP_Y = 16;
    private static final int LONGEST = 20;

    /**
     * A job.
     *
     * @param style the class of the box in the style sheet
     * @param path where the box leads to; empty for no link
     * @param isCritical whether it is one that all took its time for
     */
    public record Node(
            String name, List<String> parents, String status, String style, String path, boolean isCritical) {}

    private record Place(int x, int y) {}

    /**
     * The SVG.
     *
     * @param escape makes a text of people safe for HTML
     */
    public String draw(UnaryOperator<String> escape) {
        var places = places();
        var width = places.values().stream().mapToInt(Place::x).max().orElse(0) + BOX_WIDTH + 4;
        var height = places.values().stream().mapToInt(Place::y).max().orElse(0) + BOX_HEIGHT + 4;
        var svg = new StringBuilder("<svg class=\"graph\" viewBox=\"0 0 %1$d %2$d\" width=\"%1$d\" height=\"%2$d\">"
                .formatted(width, height));
        nodes.forEach(node -> node.parents().forEach(parent -> {
            var from = places.get(parent);
            var to = places.get(node.name());
            if (from != null && to != null) {
                svg.append(edge(from, to));
            }
        }));
        nodes.forEach(node -> svg.append(box(node, places.getOrDefault(node.name(), new Place(0, 0)), escape)));
        return svg.append("</svg>").toString();
    }

    private Map<String, Place> places() {
        var depths = depths();
        var filled = new ArrayList<Integer>();
        var places = new HashMap<String, Place>();
        nodes.forEach(node -> {
            var depth = depths.getOrDefault(node.name(), 0);
            while (filled.size() <= depth) {
                filled.add(0);
            }
            var row = filled.get(depth);
            filled.set(depth, row + 1);
            places.put(node.name(), new Place(2 + depth * (BOX_WIDTH + GAP_X), 2 + row * (BOX_HEIGHT + GAP_Y)));
        });
        return places;
    }

    /** The longest way to each; graphs have no cycles, and no more rounds than nodes are needed. */
    private Map<String, Integer> depths() {
        var depths = new HashMap<String, Integer>();
        var hasChanged = true;
        for (var round = 0; round <= nodes.size() && hasChanged; round++) {
            hasChanged = false;
            for (var node : nodes) {
                var depth = node.parents().stream()
                        .mapToInt(parent -> depths.getOrDefault(parent, 0) + 1)
                        .max()
                        .orElse(0);
                hasChanged |= !Integer.valueOf(depth).equals(depths.put(node.name(), depth));
            }
        }
        return depths;
    }

    private static String edge(Place from, Place to) {
        var x = from.x() + BOX_WIDTH;
        var y = from.y() + BOX_HEIGHT / 2;
        var endY = to.y() + BOX_HEIGHT / 2;
        var middle = (x + to.x()) / 2;
        return String.format(
                Locale.ROOT,
                "<path class=\"edge\" d=\"M%d %dC%d %d %d %d %d %d\"/>",
                x,
                y,
                middle,
                y,
                middle,
                endY,
                to.x(),
                endY);
    }

    private static String box(Node node, Place place, UnaryOperator<String> escape) {
        var box = """
                <g class="node %s%s"><title>%s: %s</title><rect x="%d" y="%d" width="%d" height="%d" rx="6"/>\
                <text x="%d" y="%d">%s</text><text class="status" x="%d" y="%d">%s</text></g>""".formatted(
                        node.style(),
                        node.isCritical() ? " critical" : "",
                        escape.apply(node.name()),
                        node.status(),
                        place.x(),
                        place.y(),
                        BOX_WIDTH,
                        BOX_HEIGHT,
                        place.x() + 9,
                        place.y() + 17,
                        escape.apply(Label.of(node.name(), LONGEST)),
                        place.x() + 9,
                        place.y() + 32,
                        node.status());
        return node.path().isEmpty() ? box : "<a href=\"%s\">%s</a>".formatted(escape.apply(node.path()), box);
    }
}
