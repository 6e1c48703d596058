package io.taskexec.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.Fingerprint;
import io.taskexec.model.PublicId;
import io.taskexec.model.dependency.Dependencies;
import io.taskexec.model.dependency.Dependencies.Parent;
import io.taskexec.model.dependency.TriggerRule;
import io.taskexec.model.job.JobFields;
import io.taskexec.request.ApiException;
import io.taskexec.request.ApiException.Detail;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.store.job.NewJob.Result.Refused;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads which jobs a job waits for: their ids, or names for them with the ids. */
final class DependencyFields {
    private DependencyFields() {}

    /** Returns null for none. */
    static @Nullable Dependencies read(Fields fields) {
        var given = fields.optionalTree(JobFields.DEPENDS_ON);
        var rule = fields.optionalChoice("trigger_rule", TriggerRule.class);
        if (given == null || given.isEmpty()) {
            checkNone(fields, given, rule);
            return null;
        }
        var parents = parents(fields, given);
        checkParents(fields, parents);
        return new Dependencies(parents, rule == null ? TriggerRule.ALL_SUCCESS : rule);
    }

    private static void checkNone(Fields fields, @Nullable JsonNode given, @Nullable TriggerRule rule) {
        if (given != null && !given.isContainerNode()) {
            fields.violation(
                    JobFields.DEPENDS_ON, "must be an array of the ids of jobs, or an object of names and ids");
        }
        checkPossible(fields, rule);
    }

    /** Checks the rule of a job without parents. */
    static void checkPossible(Fields fields, @Nullable TriggerRule rule) {
        if (rule == TriggerRule.ONE_SUCCESS || rule == TriggerRule.ONE_FAILED || rule == TriggerRule.ALL_FAILED) {
            throw refusal(
                    ErrorCode.TRIGGER_RULE_IMPOSSIBLE,
                    "The trigger rule '%s' can never hold without jobs to depend on.".formatted(rule.word()),
                    fields.pointer("trigger_rule"),
                    "needs a job in 'depends_on'");
        }
    }

    private static List<Parent> parents(Fields fields, JsonNode given) {
        var parents = new ArrayList<Parent>();
        if (given instanceof ObjectNode named) {
            named.properties().forEach(entry -> {
                if (!JobFields.PARENT_NAME.matches(entry.getKey())) {
                    fields.violation(
                            JobFields.DEPENDS_ON,
                            entry.getKey(),
                            "must have a name of 1 to 63 letters, digits, hyphens and underscores");
                }
                parents.add(new Parent(id(fields, entry.getKey(), entry.getValue()), entry.getKey()));
            });
        } else {
            for (var i = 0; i < given.size(); i++) {
                var parent = given.get(i);
                parents.add(new Parent(id(fields, Integer.toString(i), parent), parent.asText()));
            }
        }
        return parents;
    }

    private static UUID id(Fields fields, String member, JsonNode parent) {
        var id = parent.isTextual() ? PublicId.JOB.parse(parent.textValue()) : null;
        if (id == null) {
            fields.violation(JobFields.DEPENDS_ON, member, "must be the id of a job");
            return new UUID(0, 0);
        }
        return id;
    }

    private static void checkParents(Fields fields, List<Parent> parents) {
        fields.check();
        var pointer = fields.pointer(JobFields.DEPENDS_ON);
        if (parents.size() > Dependencies.MOST_PARENTS) {
            throw tooMany(pointer);
        }
        var seen = new HashSet<UUID>();
        for (var parent : parents) {
            if (!seen.add(parent.id())) {
                throw twice(PublicId.JOB.show(parent.id()), pointer);
            }
        }
    }

    /** The refusal of a job with too many parents. */
    static ApiException tooMany(String pointer) {
        return refusal(
                ErrorCode.TOO_MANY_DEPENDENCIES,
                "A job depends on %d jobs at most.".formatted(Dependencies.MOST_PARENTS),
                pointer,
                "must have at most %d entries".formatted(Dependencies.MOST_PARENTS));
    }

    /** The refusal of a job that depends on another one twice. */
    static ApiException twice(String job, String pointer) {
        return refusal(
                ErrorCode.DUPLICATE_DEPENDENCY,
                "The job '%s' is named twice.".formatted(job),
                pointer,
                "must name each job once");
    }

    /** The refusal of a job because of a parent that the store knows not to be one. */
    static ApiException refusal(Fields fields, Refused refused) {
        var id = PublicId.JOB.show(refused.parent());
        var pointer = fields.pointer(JobFields.DEPENDS_ON);
        return switch (refused.reason()) {
            case MISSING ->
                refusal(
                        ErrorCode.DEPENDENCY_NOT_FOUND,
                        "The job '%s' does not exist, or was removed with the history.".formatted(id),
                        pointer,
                        "must name jobs that exist");
            case SCHEDULE ->
                refusal(
                        ErrorCode.DEPENDENCY_IS_SCHEDULE,
                        "The job '%s' is a schedule, which has no end to wait for.".formatted(id),
                        pointer,
                        "must name jobs that run once");
        };
    }

    /** The refusal of a request because of one of its fields. */
    static ApiException refusal(ErrorCode code, String message, String pointer, String detail) {
        return new ApiException(code, message, List.of(new Detail(pointer, detail)));
    }

    /**
     * The fingerprint of a request with dependencies. Their order means nothing. Without any it is what it was before
     * jobs could have them.
     */
    static UUID mark(UUID fingerprint, @Nullable Dependencies dependencies) {
        return dependencies == null
                ? fingerprint
                : Fingerprint.of(
                        fingerprint,
                        dependencies.rule(),
                        dependencies.parents().stream()
                                .map(parent -> parent.name() + " " + parent.id())
                                .sorted()
                                .toList());
    }
}
