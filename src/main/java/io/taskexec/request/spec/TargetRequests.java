package io.taskexec.request.spec;

import io.taskexec.model.job.JobFields;
import io.taskexec.model.job.Target;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.template.Namespace;
import io.taskexec.template.Reference;
import io.taskexec.template.Template;
import java.util.Set;

/** Reads and checks the target that a job has in place of an endpoint. */
public final class TargetRequests {
    /** Callers who choose where a request goes must not send there what only administrators know. */
    private static final Set<Namespace> OF_ADMINISTRATORS = Set.of(Namespace.CONFIG, Namespace.SECRET);

    private TargetRequests() {}

    /**
     * Reads the target of a job; throws an {@link ApiException} for a template that cannot stand where it does.
     *
     * @param job the fields of the job
     */
    public static Target read(Fields job) {
        var fields = job.fields(JobFields.TARGET);
        var target = new Target(
                HttpSpecRequests.readWithoutSecrets(fields), RetryPolicyRequests.read(fields.fields("retry_policy")));
        fields.checkNested();
        if (fields.has("url") && target.origin() == null) {
            fields.violation("url", "must be an http or https URL with a host and without user and password");
        }
        target.spec().headers().forEach((name, value) -> {
            if (Target.isCredential(name) && value.equals(Target.REDACTED)) {
                fields.violation("headers", name, "must be the value itself: it is not shown, and so not repeated");
            }
        });
        checkTemplates(job.pointer(JobFields.TARGET), target);
        return target;
    }

    private static void checkTemplates(String place, Target target) {
        var templates = new SpecTemplates(place);
        HttpSpecRequests.parse(target.spec(), templates);
        templates.forEach(TargetRequests::checkReferences);
    }

    private static void checkReferences(String pointer, Template template) {
        template.references().stream()
                .filter(reference -> OF_ADMINISTRATORS.contains(reference.namespace()))
                .findFirst()
                .ifPresent(reference -> {
                    throw refusal(pointer, reference);
                });
    }

    private static ApiException refusal(String pointer, Reference reference) {
        var message = "must not use {{%s}}: secrets and configs are for registered endpoints".formatted(reference);
        return ApiException.at(ErrorCode.INVALID_REQUEST, pointer, message);
    }
}
