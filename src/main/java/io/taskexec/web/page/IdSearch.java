package io.taskexec.web.page;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.auth.AuditResource;
import io.taskexec.api.auth.KeyResource;
import io.taskexec.api.execution.ExecutionResource;
import io.taskexec.api.job.JobResource;
import io.taskexec.api.web.Cursor;
import io.taskexec.api.web.Paging;
import io.taskexec.model.PublicId;
import jakarta.inject.Singleton;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Finds what has an id that does not lead to a page by itself. A place is empty when nothing has the id. */
@Singleton
final class IdSearch {
    private final ExecutionResource executions;
    private final JobResource jobs;
    private final KeyResource keys;
    private final AuditResource audit;
    private final Trees trees;

    IdSearch(ExecutionResource executions, JobResource jobs, KeyResource keys, AuditResource audit, Trees trees) {
        this.executions = executions;
        this.jobs = jobs;
        this.keys = keys;
        this.audit = audit;
        this.trees = trees;
    }

    /** The page of the execution or the job with an id that is written without its prefix, as others write ids. */
    Uni<Optional<String>> ofDigits(String digits) {
        var execution = PublicId.EXECUTION.prefixed(digits);
        var job = PublicId.JOB.prefixed(digits);
        return ifFound(() -> executions.get(execution, null), SearchPage.place(execution))
                .chain(place -> place.isPresent()
                        ? Uni.createFrom().item(place)
                        : ifFound(() -> jobs.get(job), SearchPage.place(job)));
    }

    /** The page that shows an API key or an entry of the audit log, for those who may see them. */
    Uni<Optional<String>> ofAdministrators(String id) {
        var entry = PublicId.AUDIT.parse(id);
        if (entry != null) {
            return trees.of(() -> audit.list(Paging.of(1, Cursor.downFrom(entry)), null, null))
                    .map(list ->
                            Trees.items(list).path(0).path("audit_id").asText().equals(PublicId.AUDIT.show(entry)))
                    .map(isThere -> isThere ? Optional.of(listFrom(entry)) : Optional.empty());
        }
        return id.startsWith("key_")
                ? ifFound(() -> keys.get(id), "/ui/keys#" + id)
                : Uni.createFrom().item(Optional.empty());
    }

    private Uni<Optional<String>> ifFound(Supplier<Uni<?>> call, @Nullable String place) {
        return trees.orProblem(call).map(found -> found.has("problem") ? Optional.empty() : Optional.ofNullable(place));
    }

    /** The audit log from an entry on. */
    static String listFrom(UUID entry) {
        return "/ui/audit?cursor=" + Cursor.downFrom(entry);
    }
}
