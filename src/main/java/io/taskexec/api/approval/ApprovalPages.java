package io.taskexec.api.approval;

import static java.util.Objects.requireNonNullElse;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.approval.ApprovalPage.Refused;
import io.taskexec.api.approval.ApprovalPage.Refused.Field;
import io.taskexec.api.approval.ApprovalPage.State;
import io.taskexec.api.web.RequestRate;
import io.taskexec.model.VisibleText;
import io.taskexec.model.wait.Approval;
import io.taskexec.model.wait.Decision;
import io.taskexec.request.RequestId;
import io.taskexec.secret.CallbackTokens;
import io.taskexec.secret.CallbackTokens.Purpose;
import io.taskexec.secret.CallbackTokens.Subject;
import io.taskexec.store.wait.ApprovalStore;
import io.taskexec.store.wait.ApprovalStore.Decided;
import io.taskexec.store.wait.CallbackRecordStore;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The pages behind the addresses that people are told of, without a key: the token is all that they need. A look at the
 * page changes nothing, so that a program that follows links decides about nothing.
 */
@Singleton
final class ApprovalPages {
    private static final Logger LOG = Logger.getLogger(ApprovalPages.class);

    private static final int MOST_BYTES = 64 * 1024;
    private static final int OK = 200;
    private static final int SEE_OTHER = 303;
    private static final int BAD_REQUEST = 400;
    private static final int NOT_FOUND = 404;
    private static final int NOT_ALLOWED = 405;
    private static final int CONFLICT = 409;
    private static final int TOO_MANY = 429;
    private static final int UNAVAILABLE = 503;

    /** Forms a second of one execution, taken by one process. */
    private static final int MOST_PER_SEC = 20;

    private static final int MOST_COUNTED = 10_000;
    private static final Duration COUNTED = Duration.ofMinutes(1);

    private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST");

    private final Provider<Stores> stores;
    private final Cache<UUID, RequestRate> rates = Caffeine.newBuilder()
            .maximumSize(MOST_COUNTED)
            .expireAfterAccess(COUNTED)
            .build();

    /** @param stores asked for with each request, because routes are made before there is a database */
    ApprovalPages(Provider<Stores> stores) {
        this.stores = stores;
    }

    /** The stores of the pages. */
    @Singleton
    record Stores(CallbackTokens tokens, ApprovalStore approvals, CallbackRecordStore records) {}

    void open(@Observes Router router) {
        router.route("/approve/:token").handler(ApprovalPages::begin);
        router.get("/approve/:token").handler(this::show);
        router.head("/approve/:token").handler(this::show);
        router.post("/approve/:token")
                .handler(BodyHandler.create(false).setBodyLimit(MOST_BYTES))
                .handler(this::decide)
                .failureHandler(ApprovalPages::unreadable);
    }

    /** Refuses other methods, and gives the request an id. */
    private static void begin(RoutingContext context) {
        context.put(RequestId.HEADER, RequestId.chosen(context.request().getHeader(RequestId.HEADER)));
        if (METHODS.contains(context.request().method().name())) {
            context.next();
        } else {
            context.response().putHeader("Allow", "GET, HEAD, POST");
            send(context, new Answer(NOT_ALLOWED, ApprovalPage.saying("Not taken", "This page takes a form.")));
        }
    }

    private static String requestId(RoutingContext context) {
        return String.valueOf(context.<Object>get(RequestId.HEADER));
    }

    private static void unreadable(RoutingContext context) {
        send(
                context,
                new Answer(BAD_REQUEST, ApprovalPage.saying("Not taken", "The form is too large, or cannot be read.")));
    }

    private void show(RoutingContext context) {
        answer(context, () -> found(context, found -> page(found, null)));
    }

    private void decide(RoutingContext context) {
        var form = context.request().formAttributes();
        var name = requireNonNullElse(form.get("name"), "").strip();
        var comment = requireNonNullElse(form.get("comment"), "")
                .replace("\r\n", "\n")
                .strip();
        var decision = requireNonNullElse(form.get("decision"), "");
        answer(
                context,
                () -> found(context, found -> {
                    var rate = rates.get(found.attempt().executionId(), _ -> new RequestRate(MOST_PER_SEC));
                    if (rate != null && !rate.take(System.nanoTime())) {
                        return Uni.createFrom()
                                .item(new Answer(
                                        TOO_MANY,
                                        ApprovalPage.saying("Not now", "Too many forms. Please try again soon.")));
                    }
                    var refused = refused(name, comment, decision);
                    if (refused != null) {
                        return page(found, refused).map(page -> page.as(BAD_REQUEST));
                    }
                    var decided = new Decided(
                            "approve".equals(decision) ? Decision.APPROVE : Decision.REJECT,
                            name,
                            "link",
                            comment.isEmpty() ? null : comment,
                            String.valueOf(context.request().remoteAddress().hostAddress()),
                            requestId(context));
                    return stores.get()
                            .approvals()
                            .decide(
                                    found.attempt().executionId(),
                                    found.attempt().attempt(),
                                    decided)
                            .chain(done -> done ? Uni.createFrom().item(Answer.SEEN) : again(found, decided));
                }));
    }

    private static @Nullable Refused refused(String name, String comment, String decision) {
        if (name.isEmpty() || name.length() > ApprovalPage.MOST_NAME || VisibleText.hasHidden(name)) {
            var problem = "Please give your name, in at most %d characters.".formatted(ApprovalPage.MOST_NAME);
            return new Refused(problem, Field.NAME, name, comment);
        }
        if (comment.length() > ApprovalResource.MOST_COMMENT || comment.indexOf('\0') >= 0) {
            var problem = "Please give a comment of at most %d characters.".formatted(ApprovalResource.MOST_COMMENT);
            return new Refused(problem, Field.COMMENT, name, comment);
        }
        return "approve".equals(decision) || "reject".equals(decision)
                ? null
                : new Refused("Please choose Approve or Reject.", Field.DECISION, name, comment);
    }

    /** The same decision of the same person was sent twice, or another one came first. */
    private Uni<Answer> again(Found found, Decided decided) {
        return stores.get().approvals().find(found.attempt().executionId()).chain(now -> {
            var isSame = now != null
                    && now.decision() == decided.decision()
                    && decided.by().equals(now.decidedBy());
            return isSame
                    ? Uni.createFrom().item(Answer.SEEN)
                    : page(new Found(found.attempt(), now == null ? found.approval() : now), null)
                            .map(page -> page.as(CONFLICT));
        });
    }

    /** An attempt with its question. */
    private record Found(Subject attempt, Approval approval) {}

    /** A page with its status, or the way to the page as it is now. */
    private record Answer(int status, String page) {
        static final Answer SEEN = new Answer(SEE_OTHER, "");

        Answer as(int other) {
            return new Answer(other, page);
        }
    }

    private Uni<Answer> page(Found found, @Nullable Refused refused) {
        return stores.get()
                .records()
                .find(found.attempt().executionId(), found.attempt().attempt())
                .map(record -> record.isEmpty() || record.get().status() != null
                        ? State.CLOSED
                        : record.get().isOpen() ? State.OPEN : State.ASKED_ANEW)
                .map(state -> new Answer(OK, ApprovalPage.of(found.approval(), state, refused)));
    }

    private Uni<Answer> found(RoutingContext context, Function<Found, Uni<Answer>> work) {
        var attempt = stores.get().tokens().read(Purpose.APPROVAL, requireNonNullElse(context.pathParam("token"), ""));
        return attempt == null
                ? unknown()
                : stores.get()
                        .approvals()
                        .find(attempt.executionId())
                        .chain(approval -> approval == null ? unknown() : work.apply(new Found(attempt, approval)));
    }

    private static Uni<Answer> unknown() {
        return Uni.createFrom()
                .item(new Answer(
                        NOT_FOUND, ApprovalPage.saying("Not found", "There is no such question, or it was removed.")));
    }

    private static void answer(RoutingContext context, Supplier<Uni<Answer>> page) {
        Uni.createFrom().deferred(() -> page.get()).subscribe().with(answer -> send(context, answer), failure -> {
            LOG.errorf(failure, "the page of an approval cannot be shown");
            send(
                    context,
                    new Answer(
                            UNAVAILABLE,
                            ApprovalPage.saying("Not now", "Something went wrong. Please try again soon.")));
        });
    }

    private static void send(RoutingContext context, Answer answer) {
        var response = context.response()
                .setStatusCode(answer.status())
                .putHeader(RequestId.HEADER, requestId(context))
                .putHeader("Content-Security-Policy", ApprovalPage.POLICY)
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Referrer-Policy", "no-referrer")
                .putHeader("Cache-Control", "no-store");
        if (answer.status() == SEE_OTHER) {
            var _ = response.putHeader("Location", context.pathParam("token")).end();
            return;
        }
        response.putHeader("Content-Type", "text/html;charset=UTF-8");
        var _ = context.request().method().equals(HttpMethod.HEAD) ? response.end() : response.end(answer.page());
    }
}
