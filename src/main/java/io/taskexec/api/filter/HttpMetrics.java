package io.taskexec.api.filter;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.taskexec.api.web.CountedRoutes;
import io.taskexec.api.web.Routes;
import io.taskexec.observe.metrics.Meters;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Counts and times requests by route: what a resource or the dashboard declares, so that there are as many as in the
 * code.
 */
@Singleton
final class HttpMetrics {
    /** Before any other look at a request. */
    private static final int FIRST = 10_004;

    private static final String OTHER = "other";

    /** In the place of a status, of a request whose client went away before it had one. */
    private static final String CLOSED = "closed";

    private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

    private final Provider<Meters> meters;
    private final Map<Route, Timer> durations = new ConcurrentHashMap<>();
    private final Map<Answered, Counter> requests = new ConcurrentHashMap<>();

    private record Route(String method, String path) {}

    /** @param status 0 when there was no answer */
    private record Answered(Route route, int status) {}

    /** @param meters asked for with each request, since filters are made before there are settings */
    HttpMetrics(Provider<Meters> meters) {
        this.meters = meters;
    }

    void register(@Observes Filters filters) {
        var _ = filters.register(this::measure, FIRST);
    }

    private void measure(RoutingContext context) {
        if (meters.get().areOn()) {
            var begin = System.nanoTime();
            var _ = context.addEndHandler(_ -> ended(context, System.nanoTime() - begin));
        }
        context.next();
    }

    private void ended(RoutingContext context, long nanos) {
        var route = route(context);
        durations.computeIfAbsent(route, this::duration).record(nanos, TimeUnit.NANOSECONDS);
        // What is not written yet is 200, which is no answer.
        var status = context.response().headWritten() ? context.response().getStatusCode() : 0;
        requests.computeIfAbsent(new Answered(route, status), this::count).increment();
    }

    private static Route route(RoutingContext context) {
        var method = context.request().method().name();
        var path = CountedRoutes.template(context);
        if (path == null) {
            path = Routes.template(context.request().path());
        }
        return new Route(METHODS.contains(method) ? method : OTHER, path == null ? OTHER : path);
    }

    private Timer duration(Route route) {
        return meters.get()
                .timer(
                        "taskexec.http.request.duration",
                        "Duration of requests",
                        "method",
                        route.method(),
                        "route",
                        route.path());
    }

    private Counter count(Answered answered) {
        return meters.get()
                .counter(
                        "taskexec.http.requests",
                        "Requests that were answered",
                        "method",
                        answered.route().method(),
                        "route",
                        answered.route().path(),
                        "status",
                        answered.status() == 0 ? CLOSED : Integer.toString(answered.status()));
    }
}
