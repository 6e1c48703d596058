package io.taskexec.web.page;

import io.taskexec.api.event.EventFeed;
import io.taskexec.api.web.RequestRate;
import io.taskexec.model.PublicId;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.model.job.ExecutionEvent;
import io.taskexec.web.frame.PageRoutes;
import io.taskexec.web.frame.Reply;
import io.taskexec.web.frame.Section;
import io.taskexec.web.frame.Visit;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tells open pages what happens, as server-sent events. The feed of the API reads for all of them. A page is told of
 * the executions that it shows, of those of the jobs that it shows and, a few times a second at most, that there is
 * something else.
 */
@Singleton
final class LiveEvents implements Section {
    /** Events a second of executions that the page does not show. */
    private static final int MOST_OTHERS = 5;

    private static final int MOST_SHOWN = 200;

    /** After it, the browser comes back, and shows a session that must still be valid. */
    private static final Duration LIFETIME = Duration.ofMinutes(1);

    private final EventFeed feed;

    LiveEvents(EventFeed feed) {
        this.feed = feed;
    }

    @Override
    public @Nullable Entry entry() {
        return null;
    }

    @Override
    public void open(PageRoutes routes) {
        routes.get("/events", KeyScope.READ, visit -> {
            var context = visit.context();
            var timer = context.vertx().setTimer(LIFETIME.toMillis(), _ -> {
                if (!context.response().ended()) {
                    var _ = context.response().end();
                }
            });
            return feed.follow(context, visit.caller(), wanted(visit), last(visit))
                    .eventually(() -> context.vertx().cancelTimer(timer))
                    .replaceWith(new Reply.Streamed());
        });
    }

    private static @Nullable Long last(Visit visit) {
        try {
            var id = visit.context().request().getHeader("Last-Event-ID");
            return id == null ? null : Long.valueOf(id);
        } catch (NumberFormatException _) {
            return null;
        }
    }

    private static Predicate<ExecutionEvent> wanted(Visit visit) {
        var shown = ids(visit.query("shown"));
        var withOthers = "true".equals(visit.query("others"));
        var others = new RequestRate(MOST_OTHERS);
        return event -> shown.contains(event.executionId())
                || shown.contains(event.jobId())
                || (withOthers && others.take(System.nanoTime()));
    }

    private static Set<UUID> ids(@Nullable String texts) {
        return texts == null
                ? Set.of()
                : Arrays.stream(texts.split(",", -1))
                        .limit(MOST_SHOWN)
                        .flatMap(id -> Stream.of(PublicId.EXECUTION.parse(id), PublicId.JOB.parse(id)))
                        .filter(Objects::nonNull)
                        .collect(Collectors.toUnmodifiableSet());
    }
}
