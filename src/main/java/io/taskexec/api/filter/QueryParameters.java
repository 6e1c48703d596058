package io.taskexec.api.filter;

import io.taskexec.api.web.DryRunParameter;
import io.taskexec.api.web.QueryText;
import io.taskexec.api.web.Routes;
import io.taskexec.model.NearestName;
import io.taskexec.request.ApiException;
import io.taskexec.request.Choice;
import io.taskexec.request.ErrorCode;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Priorities;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jspecify.annotations.Nullable;

/** Refuses query parameters that a route does not have, that have no value, or more than the one that they can have. */
@Singleton
final class QueryParameters {
    /** After authentication: who has no key is told nothing else. */
    private static final int PRIORITY = Priorities.USER + 1;

    /** The separators of parameters in Vert.x. */
    private static final String SEPARATOR = "[&;]";

    /** The parameters of the routes that have any. A test compares them with the methods of the resources. */
    static final Map<String, Accepted> BY_ROUTE = Stream.concat(
                    rehearsed(),
                    Stream.of(
                            list("/payload-specs"),
                            list("/configs"),
                            list("/secrets"),
                            list("/queues"),
                            list("/endpoints"),
                            list("/endpoints/{name}/events"),
                            list("/endpoints/{name}/versions"),
                            list(
                                    "/jobs",
                                    "endpoint",
                                    "queue",
                                    "tag",
                                    "trigger",
                                    "status",
                                    "created_from",
                                    "created_before"),
                            list("/jobs/{id}/executions", "status", "run_from", "run_before"),
                            list("/jobs/{id}/versions"),
                            list("/jobs/{id}/ticks", "from", "to", "outcome"),
                            list("/jobs/{id}/gaps", "from", "to"),
                            list(
                                    "/executions",
                                    "status",
                                    "error_type",
                                    "endpoint",
                                    "queue",
                                    "tag",
                                    "created_from",
                                    "created_before",
                                    "retried"),
                            list("/executions/{id}/attempts"),
                            list("/executions/{id}/logs"),
                            list("/operations"),
                            list("/keys"),
                            list("/audit", "actor", "kind"),
                            one("POST /jobs", DryRunParameter.NAME, "wait"),
                            one("PUT /jobs/{id}", DryRunParameter.NAME),
                            one("PATCH /jobs/{id}", DryRunParameter.NAME),
                            one("PATCH /endpoints/{name}/keys/{key}", DryRunParameter.NAME),
                            one("DELETE /endpoints/{name}/keys/{key}", "force"),
                            one("POST /jobs/{id}/cancel", "force"),
                            one("GET /executions/{id}", "wait"),
                            one("GET /forecast", "hours", "endpoint", "limit"),
                            one("POST /executions/{id}/cancel", "force"),
                            list("/approvals", "open"),
                            list("/workflow-definitions"),
                            one("PUT /workflow-definitions/{name}", DryRunParameter.NAME),
                            one("DELETE /workflow-definitions/{name}", DryRunParameter.NAME),
                            list("/workflows", "name", "status"),
                            one("POST /workflows", DryRunParameter.NAME),
                            one("POST /workflows/{id}/cancel", "force"),
                            new Accepted(
                                    "GET /events",
                                    Set.of("last_event_id"),
                                    Set.of("endpoint", "job_id", "execution_id", "type"))))
            .collect(Collectors.toUnmodifiableMap(Accepted::route, Function.identity()));

    /**
     * The parameters of a route.
     *
     * @param once parameters with one value
     * @param repeated parameters that may be given more than once
     */
    record Accepted(String route, Set<String> once, Set<String> repeated) {
        static Accepted nothing(String route) {
            return new Accepted(route, Set.of(), Set.of());
        }

        boolean has(String name) {
            return once.contains(name) || repeated.contains(name);
        }

        List<String> all() {
            var all = new TreeSet<>(once);
            all.addAll(repeated);
            return List.copyOf(all);
        }
    }

    /** The routes that change a resource with a name. */
    private static Stream<Accepted> rehearsed() {
        return Stream.of("payload-specs", "configs", "secrets", "queues", "endpoints")
                .flatMap(noun -> Stream.of("POST /" + noun, "PUT /" + noun + "/{name}", "DELETE /" + noun + "/{name}"))
                .map(route -> one(route, DryRunParameter.NAME));
    }

    private static Accepted list(String path, String... filters) {
        return one(
                "GET " + path,
                Stream.concat(Stream.of("limit", "cursor"), Arrays.stream(filters))
                        .toArray(String[]::new));
    }

    private static Accepted one(String route, String... names) {
        return new Accepted(route, Set.of(names), Set.of());
    }

    /** Does nothing for a request without a query, as most are that create jobs. */
    @ServerRequestFilter(priority = PRIORITY)
    public void check(HttpServerRequest connection) {
        var query = connection.query();
        if (query == null || query.isEmpty()) {
            return;
        }
        var template = Routes.template(connection.path());
        if (template == null) {
            // The framework finds routes of paths in other spellings too, of which we would not know the parameters.
            throw new ApiException(ErrorCode.NOT_FOUND, "There is no such path.");
        }
        var method = connection.method().name();
        var route = (method.equals("HEAD") ? "GET" : method) + " " + template;
        check(query, BY_ROUTE.getOrDefault(route, Accepted.nothing(route)));
    }

    private static void check(String query, Accepted accepted) {
        var seen = new HashSet<String>();
        for (var given : given(query)) {
            var name = given.name();
            if (!accepted.has(name)) {
                throw new ApiException(ErrorCode.INVALID_REQUEST, unknown(name, accepted));
            }
            if (!given.hasValue()) {
                // The framework takes it for one that is not given, so that an empty filter would find everything.
                throw QueryText.invalid(name, "given with a value");
            }
            if (!seen.add(name) && accepted.once().contains(name)) {
                throw QueryText.invalid(name, "given once");
            }
        }
    }

    private record Given(String name, boolean hasValue) {}

    private static List<Given> given(String query) {
        var given = new ArrayList<Given>();
        for (var pair : query.split(SEPARATOR, -1)) {
            if (!pair.isEmpty()) {
                var end = pair.indexOf('=');
                given.add(new Given(
                        decoded(end < 0 ? pair : pair.substring(0, end)), end >= 0 && end < pair.length() - 1));
            }
        }
        return given;
    }

    private static String decoded(String name) {
        try {
            return URLDecoder.decode(name, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            throw new ApiException(
                    ErrorCode.INVALID_REQUEST, "The query is malformed: a '%' needs two hexadecimal digits after it.");
        }
    }

    private static String unknown(String name, Accepted accepted) {
        var known = accepted.all();
        @Nullable String nearest = NearestName.of(name, known);
        var hint = nearest != null
                ? "; did you mean '" + nearest + "'?"
                : known.isEmpty()
                        ? ", which takes none."
                        : ", which takes "
                                + Choice.list(known.stream()
                                        .map(one -> "'" + one + "'")
                                        .toList()) + ".";
        return "'" + name + "' is not a parameter of " + accepted.route() + hint;
    }
}
