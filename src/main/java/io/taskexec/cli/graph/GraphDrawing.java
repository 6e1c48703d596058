package io.taskexec.cli.graph;

import io.taskexec.cli.text.AnsiStyle;
import io.taskexec.cli.text.PlainLine;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi.Style;

/**
 * Draws a graph from parents to children, as {@code git log --graph} draws commits. A lane goes from a parent to all
 * its children, or from the only children of several parents to the one that they share, so that a wide graph needs few
 * lanes.
 */
final class GraphDrawing {
    private static final int NOWHERE = -1;

    private final Map<String, GraphNode> nodes = new LinkedHashMap<>();

    /** The children of each node that are not drawn yet. */
    private final Map<String, Set<String>> children = new HashMap<>();

    private final List<@Nullable Lane> lanes = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();
    private final int width;
    private final AnsiStyle style;

    /** The lane of the last line when it ends there. */
    private int end = NOWHERE;

    /**
     * A vertical line.
     *
     * @param node the parent that it comes from, or the child that it goes to
     */
    private record Lane(String node, boolean isFromParent) {}

    private GraphDrawing(List<GraphNode> nodes, int width, AnsiStyle style) {
        nodes.forEach(node -> {
            this.nodes.put(node.id(), node);
            children.put(node.id(), new LinkedHashSet<>());
        });
        nodes.forEach(
                node -> node.parents().forEach(parent -> childrenOf(parent).add(node.id())));
        this.width = width;
        this.style = style;
    }

    /** Returns the lines, each cut to a width. Nodes in a circle, which no server sends, are drawn all the same. */
    static List<String> lines(List<GraphNode> nodes, int width, AnsiStyle style) {
        var drawing = new GraphDrawing(nodes, width, style);
        drawing.order().forEach(drawing::draw);
        return List.copyOf(drawing.lines);
    }

    private Set<String> childrenOf(String id) {
        return children.getOrDefault(id, new LinkedHashSet<>());
    }

    /** Returns parents before their children, and children soon after their parents. */
    private Collection<GraphNode> order() {
        var missing = new HashMap<String, Integer>();
        nodes.values()
                .forEach(node -> missing.put(node.id(), (int)
                        node.parents().stream().filter(nodes::containsKey).count()));
        var ordered = new LinkedHashSet<GraphNode>();
        var next = new ArrayDeque<GraphNode>();
        nodes.values().stream()
                .filter(node -> missing.getOrDefault(node.id(), 0) == 0)
                .forEach(next::add);
        // The rest is in a circle.
        next.addAll(nodes.values());
        while (!next.isEmpty()) {
            var node = next.pop();
            if (ordered.add(node)) {
                var ready = childrenOf(node.id()).stream()
                        .filter(child -> missing.merge(child, -1, Integer::sum) == 0)
                        .toList();
                ready.reversed().forEach(child -> next.push(nodes.getOrDefault(child, node)));
            }
        }
        return ordered;
    }

    private void draw(GraphNode node) {
        var arriving = lanesTo(node);
        var ending =
                arriving.stream().filter(lane -> endsAt(lane, node)).collect(Collectors.toCollection(TreeSet::new));
        var place = ending.isEmpty() ? freeLane() : ending.first();
        if (!arriving.isEmpty()) {
            connect(place, arriving, ending);
        } else if (place == end) {
            // A node below the end of another would look like its child.
            lines.add(cut(lanesAround(NOWHERE, ' ')));
        }
        ending.forEach(lane -> lanes.set(lane, null));
        node.parents().forEach(parent -> childrenOf(parent).remove(node.id()));
        lines.add(text(lanesAround(place, node.mark()), node));
        leave(node, place);
        while (!lanes.isEmpty() && lanes.getLast() == null) {
            lanes.removeLast();
        }
    }

    private Set<Integer> lanesTo(GraphNode node) {
        return IntStream.range(0, lanes.size())
                .filter(i -> leadsTo(lanes.get(i), node))
                .boxed()
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static boolean leadsTo(@Nullable Lane lane, GraphNode node) {
        return (lane != null && lane.isFromParent()) ? node.parents().contains(lane.node()) : isTo(lane, node.id());
    }

    private static boolean isTo(@Nullable Lane lane, String child) {
        return lane != null && !lane.isFromParent() && lane.node().equals(child);
    }

    private boolean endsAt(int place, GraphNode node) {
        var lane = lanes.get(place);
        return lane != null && (!lane.isFromParent() || childrenOf(lane.node()).equals(Set.of(node.id())));
    }

    private int freeLane() {
        var free = lanes.indexOf(null);
        if (free < 0) {
            lanes.add(null);
            return lanes.size() - 1;
        }
        return free;
    }

    /** Begins the lane to the children, or joins one that leads to the only child. */
    private void leave(GraphNode node, int place) {
        var below = childrenOf(node.id());
        end = below.isEmpty() ? place : NOWHERE;
        if (below.size() != 1) {
            lanes.set(place, below.isEmpty() ? null : new Lane(node.id(), true));
            return;
        }
        var child = below.iterator().next();
        var other = IntStream.range(0, lanes.size())
                .filter(i -> isTo(lanes.get(i), child))
                .findFirst()
                .orElse(NOWHERE);
        lanes.set(place, new Lane(child, false));
        if (other != NOWHERE) {
            var both = new TreeSet<>(Set.of(place, other));
            connect(both.first(), both, both);
            lanes.set(both.last(), null);
        }
    }

    /**
     * Adds a line that leads lanes to one place, unless they are there.
     *
     * @param ending those of them that do not go on to other places
     */
    private void connect(int place, Set<Integer> arriving, Set<Integer> ending) {
        var all = new TreeSet<>(arriving);
        all.add(place);
        if (all.size() == 1) {
            return;
        }
        var line = new StringBuilder();
        for (var i = 0; i < lanes.size(); i++) {
            var isLeft = i > all.first() && i <= all.last();
            var isRight = i >= all.first() && i < all.last();
            if (i > 0) {
                line.append(isLeft ? '─' : ' ');
            }
            if (all.contains(i)) {
                line.append(corner(arriving.contains(i), i == place || !ending.contains(i), isLeft, isRight));
            } else {
                line.append(lanes.get(i) != null ? '│' : isLeft ? '─' : ' ');
            }
        }
        lines.add(cut(line.toString().stripTrailing()));
    }

    private static char corner(boolean up, boolean down, boolean left, boolean right) {
        if (up && down) {
            return left && right ? '┼' : left ? '┤' : '├';
        }
        if (up) {
            return left && right ? '┴' : left ? '╯' : '╰';
        }
        return left && right ? '┬' : left ? '╮' : '╭';
    }

    private String lanesAround(int place, char mark) {
        return IntStream.range(0, lanes.size())
                .mapToObj(i -> i == place ? String.valueOf(mark) : lanes.get(i) == null ? " " : "│")
                .collect(Collectors.joining(" "))
                .stripTrailing();
    }

    private String cut(String line) {
        return PlainLine.shorten(line, width);
    }

    private String text(String lead, GraphNode node) {
        var line = new StringBuilder();
        var left = add(line, width, lead + " ", null);
        left = add(line, left, PlainLine.of(node.label()), node.isCritical() ? Style.bold : null);
        left = add(line, left, node.isCritical() ? " *  " : "  ", null);
        var status = PlainLine.of(node.status());
        if (left < status.length()) {
            return line.toString().stripTrailing();
        }
        line.append(style.applyStatus(status));
        left -= status.length();
        left = add(line, left, node.took().isEmpty() ? "" : "  " + node.took(), null);
        var _ = add(line, left, node.message().isEmpty() ? "" : "  " + PlainLine.of(node.message()), null);
        return line.toString().stripTrailing();
    }

    /** Adds as much of a text as fits; returns the width that is left. */
    private int add(StringBuilder line, int left, String text, @Nullable Style with) {
        if (left <= 0 || text.isEmpty()) {
            return left;
        }
        var shown = PlainLine.shorten(text, left);
        line.append(with == null ? shown : style.apply(with, shown));
        return left - shown.codePointCount(0, shown.length());
    }
}
