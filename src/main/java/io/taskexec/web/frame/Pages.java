package io.taskexec.web.frame;

import io.quarkus.arc.All;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.auth.AuditLog;
import io.taskexec.api.auth.KeyLogin;
import io.taskexec.api.web.Caller;
import io.taskexec.api.web.CountedRoutes;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.ErrorMapping;
import io.taskexec.request.RequestId;
import io.taskexec.store.auth.AuditStore.Write;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import jakarta.inject.Singleton;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Answers requests for pages: with a session, with the scope that the page needs and, for a form, with its mark. */
@Singleton
final class Pages implements PageRoutes {
    private static final Logger LOG = Logger.getLogger(Pages.class);
    private static final int MOST_FORM_BYTES = 64 * 1024;

    private final List<Section> sections;
    private final LoginPages logins;
    private final Sessions sessions;
    private final KeyLogin keys;
    private final AuditLog audit;
    private final Responder responder;
    private @Nullable Router router;

    Pages(
            @All List<Section> sections,
            LoginPages logins,
            Sessions sessions,
            KeyLogin keys,
            AuditLog audit,
            Responder responder) {
        this.sections = sections;
        this.logins = logins;
        this.sessions = sessions;
        this.keys = keys;
        this.audit = audit;
        this.responder = responder;
    }

    void addTo(Router target) {
        router = target;
        target.route().handler(responder::begin);
        CountedRoutes.add(target, HttpMethod.GET, Site.PATH, "/assets/:name").handler(responder::asset);
        target.post()
                .handler(BodyHandler.create(false).setBodyLimit(MOST_FORM_BYTES))
                .failureHandler(context -> responder.fail(
                        context,
                        null,
                        new ApiException(ErrorCode.PAYLOAD_TOO_LARGE, "The form is too large, or cannot be read.")));
        logins.addTo(target);
        responder.show(sections.stream()
                .map(Section::entry)
                .filter(Objects::nonNull)
                .sorted(Comparator.comparingInt(Section.Entry::order))
                .toList());
        sections.forEach(section -> section.open(this));
        post("/preferences", KeyScope.READ, null, responder::prefer);
        target.route()
                .handler(context -> serve(context, visit -> {
                    throw new ApiException(ErrorCode.NOT_FOUND, "There is no such page.");
                }));
    }

    @Override
    public void get(String path, KeyScope needed, Handler handler) {
        var _ = CountedRoutes.add(Objects.requireNonNull(router), HttpMethod.GET, Site.PATH, path)
                .handler(context -> serve(context, visit -> {
                    visit.caller().require(needed);
                    return handler.answer(visit);
                }));
    }

    @Override
    public void post(String path, KeyScope needed, @Nullable Audited audited, Handler handler) {
        var _ = CountedRoutes.add(Objects.requireNonNull(router), HttpMethod.POST, Site.PATH, path)
                .handler(context -> serve(context, visit -> {
                    visit.caller().require(needed);
                    var answer = handler.answer(visit);
                    return audited == null ? answer : answer.call(reply -> record(visit, audited, reply));
                }));
    }

    private void serve(RoutingContext context, Handler handler) {
        sessions.find(context.request())
                .subscribe()
                .with(
                        caller -> caller.ifPresentOrElse(
                                found -> serve(context, found, handler), () -> logins.lead(context)),
                        failure -> responder.fail(context, null, explain(failure)));
    }

    private void serve(RoutingContext context, Caller caller, Handler handler) {
        var request = context.request();
        var visit = new Visit(context, caller, sessions.formMark(request), Preferences.of(request));
        Uni.createFrom()
                .deferred(() -> {
                    check(visit);
                    return handler.answer(visit);
                })
                .invoke(reply -> responder.send(visit, reply))
                .subscribe()
                .with(_ -> {}, failure -> responder.fail(context, visit, explain(failure)));
    }

    private void check(Visit visit) {
        if (!keys.mayRequest(visit.caller())) {
            throw new ApiException(ErrorCode.RATE_LIMITED, "This API key has used up its requests; try again soon.");
        }
        var request = visit.context().request();
        if (request.method().equals(HttpMethod.POST) && !sessions.isOurs(request, visit.form(Responder.FORM_MARK))) {
            throw Sessions.notOurs();
        }
    }

    private static ApiException explain(Throwable failure) {
        var error = ErrorMapping.explain(failure);
        if (error.code() == ErrorCode.INTERNAL_ERROR) {
            LOG.error("a page of the dashboard failed", failure);
        }
        return error;
    }

    private Uni<Void> record(Visit visit, Audited audited, Reply reply) {
        var request = visit.context().request();
        return audit.record(
                Write.of(
                        visit.caller().name(),
                        audited.action(),
                        audited.kind(),
                        nameOf(visit, reply),
                        String.valueOf(visit.context().<Object>get(RequestId.HEADER)),
                        String.valueOf(request.remoteAddress().hostAddress()),
                        AuditLog.details(visit.caller())),
                null);
    }

    /** From the path or, of what has just been created, from where it is now. */
    private static String nameOf(Visit visit, Reply reply) {
        for (var parameter : List.of("name", "id")) {
            if (!visit.path(parameter).isEmpty()) {
                return visit.path(parameter);
            }
        }
        return switch (reply) {
            case Reply.Moved moved -> end(moved.path());
            case Reply.Made made -> end(made.path());
            case Reply.Page _, Reply.Streamed _ -> "";
        };
    }

    private static String end(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
