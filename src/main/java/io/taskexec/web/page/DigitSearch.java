package io.taskexec.web.page;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.execution.ExecutionResource;
import io.taskexec.api.job.JobResource;
import io.taskexec.model.PublicId;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Finds what has an id that is written without its prefix, as others write ids. */
@Singleton
final class DigitSearch {
    private final ExecutionResource executions;
    private final JobResource jobs;
    private final Trees trees;

    DigitSearch(ExecutionResource executions, JobResource jobs, Trees trees) {
        this.executions = executions;
        this.jobs = jobs;
        this.trees = trees;
    }

    /** The page of the execution or the job with these digits; empty when there is neither. */
    Uni<Optional<String>> place(String digits) {
        var known = List.<Map.Entry<PublicId, Function<String, Uni<?>>>>of(
                Map.entry(PublicId.EXECUTION, id -> executions.get(id, null)), Map.entry(PublicId.JOB, jobs::get));
        var otherwise = Uni.createFrom().item(Optional.<String>empty());
        for (var kind : known.reversed()) {
            var id = kind.getKey().prefixed(digits);
            var next = otherwise;
            otherwise = trees.orProblem(() -> kind.getValue().apply(id))
                    .chain(found -> found.has("problem")
                            ? next
                            : Uni.createFrom().item(Optional.ofNullable(SearchPage.place(id))));
        }
        return otherwise;
    }
}
