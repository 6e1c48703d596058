package io.taskexec.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Fingerprint;
import io.taskexec.model.dependency.Condition;
import io.taskexec.model.dependency.Dependencies;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.job.JobOptions;
import io.taskexec.request.ApiException;
import io.taskexec.request.ApiException.Detail;
import io.taskexec.request.Choice;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.request.RetryWords;
import io.taskexec.template.Namespace;
import io.taskexec.template.Reference;
import io.taskexec.template.TemplateSyntaxException;
import io.taskexec.template.TemplateTree;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the settings that few jobs have, and checks what they say of the parents. */
final class OptionFields {
    private static final String WHEN = "when";
    private static final String PARENTS = "/parents/";
    private static final String WORKFLOW = "/workflow/";

    /** The namespaces that the input of a job with parents may use. */
    private static final Set<Namespace> OF_PARENTS = EnumSet.of(Namespace.PARENTS, Namespace.JOB);

    /** Those that the input of a job of a workflow may use. */
    private static final Set<Namespace> OF_WORKFLOW = EnumSet.of(Namespace.PARENTS, Namespace.JOB, Namespace.WORKFLOW);

    private OptionFields() {}

    /** Reads the fields that every job may have. */
    static JobOptions read(Fields fields) {
        var timeout = fields.optionalInteger("timeout_ms");
        return new JobOptions(
                null, false, timeout == null ? null : Duration.ofMillis(timeout), RetryWords.read(fields));
    }

    /** Reads those of a job that runs once; throws an {@link ApiException} for what names no parent. */
    static JobOptions read(Fields fields, @Nullable Dependencies dependencies, @Nullable JsonNode input) {
        var options = read(fields);
        var names = dependencies == null
                ? Set.<String>of()
                : dependencies.parents().stream().map(Dependencies.Parent::name).collect(Collectors.toSet());
        var when = fields.optionalTree(WHEN);
        if (when != null) {
            checkCondition(fields, when, names, OF_PARENTS);
        }
        var isTemplate = dependencies != null && input != null && isTemplate(fields, input, names, OF_PARENTS);
        return new JobOptions(when, isTemplate, options.timeout(), options.rules());
    }

    /** Refuses the settings of calls for a workflow, which makes none itself. */
    static void checkFits(Fields fields, EndpointType type) {
        if (type == EndpointType.WORKFLOW) {
            Stream.of("timeout_ms", "retry_on", "no_retry_on")
                    .filter(fields::has)
                    .forEach(field -> fields.violation(field, "is for the jobs of the workflow, which make the calls"));
            fields.check();
        }
    }

    /** Reads those of a job of a workflow, whose parents have these names. */
    static JobOptions ofWorkflow(Fields fields, Set<String> parents, @Nullable JsonNode input) {
        var options = read(fields);
        var when = fields.optionalTree(WHEN);
        if (when != null) {
            checkCondition(fields, when, parents, OF_WORKFLOW);
        }
        var isTemplate = input != null && isTemplate(fields, input, parents, OF_WORKFLOW);
        return new JobOptions(when, isTemplate, options.timeout(), options.rules());
    }

    /** Whether the strings of an input that has been checked are templates. */
    static boolean isTemplate(JsonNode input) {
        return !TemplateTree.parse(input).references().isEmpty()
                || input.toString().contains("\\\\{{");
    }

    private static void checkCondition(Fields fields, JsonNode when, Set<String> names, Set<Namespace> namespaces) {
        try {
            Condition.of(when)
                    .pointers()
                    .map(Object::toString)
                    .filter(pointer -> !isOfParent(pointer, names)
                            && !(namespaces.contains(Namespace.WORKFLOW) && pointer.startsWith(WORKFLOW)))
                    .findFirst()
                    .ifPresent(pointer -> {
                        throw new IllegalArgumentException(
                                "must look at a job in 'depends_on', as /parents/NAME/output does; '%s' does not"
                                        .formatted(pointer));
                    });
        } catch (IllegalArgumentException e) {
            throw ApiException.at(ErrorCode.INVALID_CONDITION, fields.pointer(WHEN), String.valueOf(e.getMessage()));
        }
    }

    private static boolean isOfParent(String pointer, Set<String> names) {
        return names.stream()
                .anyMatch(name -> pointer.equals(PARENTS + name) || pointer.startsWith(PARENTS + name + "/"));
    }

    private static boolean isTemplate(Fields fields, JsonNode input, Set<String> names, Set<Namespace> namespaces) {
        try {
            TemplateTree.parse(input)
                    .references()
                    .forEach(reference -> checkReference(fields, reference, names, namespaces));
            return isTemplate(input);
        } catch (TemplateSyntaxException e) {
            throw refused(
                    ErrorCode.TEMPLATE_RESOLUTION_FAILED,
                    fields.pointer("input") + e.pointer(),
                    "The strings of this input are templates, since the job %s: %s"
                            .formatted(
                                    namespaces.contains(Namespace.WORKFLOW)
                                            ? "belongs to a workflow"
                                            : "depends on others",
                                    e.getMessage()));
        }
    }

    private static void checkReference(
            Fields fields, Reference reference, Set<String> names, Set<Namespace> namespaces) {
        if (!namespaces.contains(reference.namespace())) {
            var usable = namespaces.stream()
                    .map(namespace -> "{{" + namespace + ".*}}")
                    .toList();
            throw refused(
                    ErrorCode.TEMPLATE_RESOLUTION_FAILED,
                    fields.pointer("input"),
                    "In the input of a job, only %s may be used, and not {{%s}}"
                            .formatted(Choice.list(usable), reference));
        }
        var name = reference.parentName();
        if (name != null && !names.contains(name)) {
            throw refused(
                    ErrorCode.UNKNOWN_PARENT,
                    fields.pointer("input"),
                    "{{%s}} names no job in 'depends_on'".formatted(reference));
        }
    }

    private static ApiException refused(ErrorCode code, String pointer, String message) {
        return new ApiException(code, message + ".", List.of(new Detail(pointer, message)));
    }

    /** The fingerprint of a request with settings: without any it is what it was before jobs could have them. */
    static UUID mark(UUID fingerprint, JobOptions options) {
        return options.isNone() ? fingerprint : Fingerprint.of(fingerprint, options.toJson());
    }
}
