package io.taskexec.api.web;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds the route of a path, such as {@code /jobs/{id}}, and the methods that it takes. */
public final class Routes {
    public static final String ALLOW = "Allow";

    /** The paths with their methods. A test compares them with the resources. */
    static final String ALL = """
            /approvals GET
            /approvals/{id} GET
            /approvals/{id}/decision POST
            /audit GET
            /callbacks/{token} POST
            /configs GET POST
            /configs/{name} DELETE GET PUT
            /dev/clock GET POST
            /endpoints GET POST
            /endpoints/{name} DELETE GET PUT
            /endpoints/{name}/breaker GET
            /endpoints/{name}/enable POST
            /endpoints/{name}/events GET
            /endpoints/{name}/keys/{key} DELETE GET PATCH
            /endpoints/{name}/versions GET
            /events GET
            /executions GET
            /executions/bulk POST
            /executions/{id} GET
            /executions/{id}/attempts GET
            /executions/{id}/callback POST
            /executions/{id}/cancel POST
            /executions/{id}/explain GET
            /executions/{id}/logs GET
            /executions/{id}/request GET
            /executions/{id}/retry POST
            /forecast GET
            /jobs GET POST
            /jobs/batch POST
            /jobs/{id} GET PATCH PUT
            /jobs/{id}/backfill POST
            /jobs/{id}/cancel POST
            /jobs/{id}/executions GET
            /jobs/{id}/gaps GET
            /jobs/{id}/pause POST
            /jobs/{id}/resume POST
            /jobs/{id}/status GET
            /jobs/{id}/ticks GET
            /jobs/{id}/trigger POST
            /jobs/{id}/versions GET
            /keys GET POST
            /keys/{id} DELETE GET
            /leases POST
            /leases/complete POST
            /leases/defer POST
            /leases/extend POST
            /leases/fail POST
            /leases/release POST
            /operations GET
            /operations/{id} GET
            /operations/{id}/cancel POST
            /overview GET
            /payload-specs GET POST
            /payload-specs/{name} DELETE GET PUT
            /pressure GET
            /pressure/{name} DELETE PUT
            /queues GET POST
            /queues/{name} DELETE GET PUT
            /queues/{name}/pause POST
            /queues/{name}/resume POST
            /schedules/preview POST
            /secrets GET POST
            /secrets/{name} DELETE GET PUT
            /workflow-definitions GET
            /workflow-definitions/{name} DELETE GET PUT
            /workflows GET POST
            /workflows/{id} GET
            /workflows/{id}/cancel POST
            /workflows/{id}/replay POST
            /workflows/{id}/retry POST
            """;

    /** By the number of segments; of two that fit a path the first one has it. */
    private static final Map<Integer, List<Route>> BY_LENGTH = all();

    /** Those without variables, which are asked for most. */
    private static final Map<String, Route> FIXED = BY_LENGTH.values().stream()
            .flatMap(List::stream)
            .filter(route -> route.variables() == 0)
            .collect(Collectors.toUnmodifiableMap(Route::template, route -> route));

    private Routes() {}

    /**
     * A route.
     *
     * @param segments those in braces stand for anything
     */
    private record Route(String template, List<String> segments, Set<String> methods) {
        static Route of(String line) {
            var words = line.split(" ", -1);
            var methods = new TreeSet<>(Arrays.asList(words).subList(1, words.length));
            methods.add("OPTIONS");
            if (methods.contains("GET")) {
                methods.add("HEAD");
            }
            return new Route(words[0], split(words[0]), methods);
        }

        boolean fits(List<String> path) {
            for (var i = 0; i < path.size(); i++) {
                var segment = segments.get(i);
                if (isVariable(segment) ? path.get(i).isEmpty() : !segment.equals(path.get(i))) {
                    return false;
                }
            }
            return true;
        }

        long variables() {
            return segments.stream().filter(Route::isVariable).count();
        }

        private static boolean isVariable(String segment) {
            return segment.startsWith("{");
        }
    }

    private static Map<Integer, List<Route>> all() {
        return ALL.lines()
                .map(Route::of)
                .sorted(Comparator.comparingLong(Route::variables))
                .collect(Collectors.groupingBy(route -> route.segments().size()));
    }

    /** The methods that a path takes, in the order of the alphabet; empty when nothing is there. */
    public static Set<String> methods(@Nullable String path) {
        var route = find(path);
        return route == null ? Set.of() : route.methods();
    }

    /** The path with names in the place of what varies; null when nothing is there. */
    public static @Nullable String template(@Nullable String path) {
        var route = find(path);
        return route == null ? null : route.template();
    }

    private static @Nullable Route find(@Nullable String path) {
        if (path == null) {
            // That of a target which is no path, as in OPTIONS *.
            return null;
        }
        var fixed = FIXED.get(path);
        if (fixed != null) {
            return fixed;
        }
        var segments = split(path.endsWith("/") ? path.substring(0, path.length() - 1) : path);
        return BY_LENGTH.getOrDefault(segments.size(), List.of()).stream()
                .filter(route -> route.fits(segments))
                .findFirst()
                .orElse(null);
    }

    private static List<String> split(String path) {
        return Arrays.asList(path.split("/", -1));
    }
}
