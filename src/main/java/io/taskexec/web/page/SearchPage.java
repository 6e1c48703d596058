package io.taskexec.web.page;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.endpoint.EndpointResource;
import io.taskexec.api.job.JobKeyResource;
import io.taskexec.api.overview.OverviewResource;
import io.taskexec.api.web.ApiConfig;
import io.taskexec.model.PublicId;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.web.frame.Display;
import io.taskexec.web.frame.PageRoutes;
import io.taskexec.web.frame.Reply;
import io.taskexec.web.frame.Section;
import io.taskexec.web.frame.Visit;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The search: leads to what has an id, a name or a key, or says what was looked for. */
@Singleton
final class SearchPage implements Section {
    private static final Pattern DIGITS = Pattern.compile("[0-9a-fA-F]{32}");

    /** The ids that have a page of their own. */
    private static final Map<PublicId, String> PLACES = Map.of(
            PublicId.EXECUTION, "/ui/executions/",
            PublicId.JOB, "/ui/jobs/",
            PublicId.OPERATION, "/ui/operations/",
            PublicId.WORKFLOW, "/ui/workflows/");

    private final IdSearch ids;
    private final JobKeyResource jobKeys;
    private final EndpointResource endpoints;
    private final OverviewResource overview;
    private final Trees trees;
    private final ApiConfig config;

    SearchPage(
            IdSearch ids,
            JobKeyResource jobKeys,
            EndpointResource endpoints,
            OverviewResource overview,
            Trees trees,
            ApiConfig config) {
        this.ids = ids;
        this.jobKeys = jobKeys;
        this.endpoints = endpoints;
        this.overview = overview;
        this.trees = trees;
        this.config = config;
    }

    @Override
    public @Nullable Entry entry() {
        return null;
    }

    @Override
    public void open(PageRoutes routes) {
        routes.get("/search", KeyScope.READ, this::find);
    }

    private Uni<Reply> find(Visit visit) {
        var text = visit.query("q");
        var endpoint = visit.query("endpoint");
        var place = text == null ? "/ui/executions" : place(text);
        if (text == null || place != null) {
            return Uni.createFrom().item(new Reply.Moved(String.valueOf(place), null));
        }
        if (endpoint != null) {
            return trees.orProblem(() -> jobKeys.get(endpoint, text))
                    .map(job -> job.hasNonNull("job_id")
                            ? moved("/ui/jobs/", job.path("job_id").asText())
                            : nothing(text, "key").with("endpoint", endpoint));
        }
        if (PublicId.WORKER.parse(text) != null) {
            return worker(text);
        }
        if (PublicId.EVENT.parse(text) != null) {
            return Uni.createFrom().item(nothing(text, "event"));
        }
        var digits = text.replace("-", "");
        if (DIGITS.matcher(digits).matches()) {
            return ofDigits(text, digits);
        }
        return visit.may(KeyScope.ADMIN)
                ? ids.ofAdministrators(text)
                        .chain(found -> found.map(page -> Uni.createFrom().<Reply>item(new Reply.Moved(page, null)))
                                .orElseGet(() -> named(text)))
                : named(text);
    }

    /** Leads to the executions of the endpoint with this name. */
    private Uni<Reply> named(String text) {
        return trees.orProblem(() -> endpoints.get(text, List.of()))
                .map(found -> found.has("problem")
                        ? nothing(text, "text")
                        : moved("/ui/executions?endpoint=", Display.encode(text)));
    }

    /** The page of an id that tells what it is the id of; null for anything else. */
    static @Nullable String place(String text) {
        return PLACES.entrySet().stream()
                .filter(kind -> kind.getKey().parse(text) != null)
                .map(kind -> kind.getValue() + text)
                .findFirst()
                .orElse(null);
    }

    private Uni<Reply> worker(String id) {
        return trees.of(overview::get)
                .map(now -> now.at("/workers/items")
                        .valueStream()
                        .filter(worker -> worker.path("worker_id").asText().equals(id))
                        .findFirst()
                        .<Reply>map(worker -> new Reply.Moved(
                                "/ui/#workers",
                                "%s runs on %s."
                                        .formatted(id, worker.path("host").asText())))
                        .orElseGet(() -> nothing(id, "worker")));
    }

    /** The page of an execution or a job, whose id is written as others write it. */
    private Uni<Reply> ofDigits(String text, String digits) {
        return ids.ofDigits(digits)
                .map(found -> found.<Reply>map(place -> new Reply.Moved(place, null))
                        .orElseGet(() -> nothing(text, "digits")
                                .with(
                                        "traceUrl",
                                        config.uiTraceUrl()
                                                .map(url -> url.replace("{trace_id}", digits))
                                                .orElse(null))));
    }

    private static Reply moved(String place, String id) {
        return new Reply.Moved(place + id, null);
    }

    /** @param kind what the text was taken for */
    private static Reply.Page nothing(String text, String kind) {
        return Reply.page("search", "Search")
                .with("text", text)
                .with("kind", kind)
                .with("endpoint", null)
                .with("traceUrl", null);
    }
}
