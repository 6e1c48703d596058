package io.taskexec.store.job;

import static io.taskexec.store.sql.Columns.array;

import io.taskexec.model.dependency.Dependencies;
import io.taskexec.store.dependency.Decisions.Decision;
import io.taskexec.store.dependency.Parents;
import io.taskexec.store.job.NewJob.Result;
import io.vertx.mutiny.sqlclient.Tuple;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The part of the creation of jobs that is about those with parents. */
final class DependentJobs {
    private DependentJobs() {}

    /** The parents of all jobs. */
    static Set<UUID> parents(List<NewJob> jobs) {
        return jobs.stream()
                .map(NewJob::dependencies)
                .filter(Objects::nonNull)
                .flatMap(dependencies -> dependencies.parents().stream())
                .map(Dependencies.Parent::id)
                .collect(Collectors.toSet());
    }

    /** The jobs that cannot be created, since a parent cannot be one. */
    static Map<UUID, Result> refused(List<NewJob> jobs, Parents parents) {
        var refused = new HashMap<UUID, Result>();
        for (var job : jobs) {
            var dependencies = job.dependencies();
            var parent = dependencies == null ? null : parents.firstUnusable(dependencies);
            if (parent != null) {
                refused.put(
                        job.id(),
                        new Result.Refused(
                                parent,
                                parents.schedules().contains(parent)
                                        ? Result.Refused.Reason.SCHEDULE
                                        : Result.Refused.Reason.MISSING));
            }
        }
        return refused;
    }

    /** Adds the parameters that {@link JobForm#dependent} has. */
    static Tuple addParents(Tuple parameters, List<NewJob> jobs, Parents parents) {
        return parameters
                .addValue(array(jobs, String[]::new, NewJob::ruleWord))
                .addValue(array(
                        jobs, Short[]::new, job -> number(job, it -> it.rule().number())))
                .addValue(array(jobs, Short[]::new, job -> number(job, parents::open)))
                .addValue(array(jobs, Short[]::new, job -> number(job, parents::succeeded)))
                .addValue(array(jobs, Short[]::new, job -> number(job, parents::failed)))
                .addValue(array(jobs, Short[]::new, job -> number(job, parents::skipped)))
                .addValue(array(jobs, Long[]::new, NewJob::readyDelayMillis));
    }

    private static @Nullable Short number(NewJob job, ToIntFunction<Dependencies> number) {
        var dependencies = job.dependencies();
        return dependencies == null || !job.hasParents() ? null : (short) number.applyAsInt(dependencies);
    }

    /** The jobs with parents among those that were created. */
    static List<Parents.Child> children(List<NewJob> jobs, Set<UUID> created) {
        return jobs.stream()
                .filter(job -> created.contains(job.id()))
                .flatMap(job -> {
                    var dependencies = job.dependencies();
                    return dependencies == null || !job.hasParents()
                            ? Stream.of()
                            : Stream.of(new Parents.Child(job.id(), dependencies));
                })
                .toList();
    }

    /** Puts down what was decided about jobs at once; returns whether some are to be skipped. */
    static boolean apply(List<Decision> decided, Map<UUID, Result> created) {
        for (var decision : decided) {
            if (decision.isRelease() && created.get(decision.child()) instanceof Result.Created first) {
                created.put(
                        decision.child(),
                        new Result.Created(first.createdAt(), decision.runAt(), JobCreator.status(decision.due())));
            }
        }
        return !decided.stream().allMatch(Decision::isRelease);
    }
}
