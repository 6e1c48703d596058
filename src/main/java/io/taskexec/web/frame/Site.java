package io.taskexec.web.frame;

import io.taskexec.api.web.ApiConfig;
import io.taskexec.api.web.ApiConfig.Dashboard;
import io.taskexec.api.web.CountedRoutes;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;

/** Puts the dashboard below {@code /ui}. Its pages are made with the first request, since a worker alone needs none. */
@Singleton
final class Site {
    static final String PATH = "/ui";

    private static final int MOVED = 308;

    private final Provider<ApiConfig> config;
    private final Provider<Pages> pages;
    private volatile boolean isOpen;

    /**
     * @param config asked for with each request, because routes are made before there are settings
     * @param pages the same
     */
    Site(Provider<ApiConfig> config, Provider<Pages> pages) {
        this.config = config;
        this.pages = pages;
    }

    void open(@Observes Router router, Vertx vertx) {
        var inner = Router.router(vertx);
        CountedRoutes.add(router, HttpMethod.GET, "", PATH).handler(this::lead);
        router.route(PATH + "/*").handler(context -> enter(context, inner));
        router.route(PATH + "/*").subRouter(inner);
    }

    private boolean isOn() {
        return config.get().ui() == Dashboard.ON;
    }

    private void lead(RoutingContext context) {
        if (isOn() && PATH.equals(context.request().path())) {
            var _ = context.response()
                    .setStatusCode(MOVED)
                    .putHeader("Location", "/ui/")
                    .end();
        } else {
            context.next();
        }
    }

    /** Without a dashboard, the answer is that of the API to a path that it does not have. */
    private void enter(RoutingContext context, Router inner) {
        if (isOn() && !isOpen) {
            fill(inner);
        }
        context.next();
    }

    /** Adds the pages once; requests that come meanwhile wait until all are there. */
    private synchronized void fill(Router inner) {
        if (!isOpen) {
            pages.get().addTo(inner);
            isOpen = true;
        }
    }
}
