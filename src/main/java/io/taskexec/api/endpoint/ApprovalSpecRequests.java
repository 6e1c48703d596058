package io.taskexec.api.endpoint;

import io.taskexec.model.endpoint.ApprovalSpec;
import io.taskexec.model.wait.Completion;
import io.taskexec.model.wait.OnTimeout;
import io.taskexec.request.Fields;
import io.taskexec.request.spec.SpecTemplates;
import io.taskexec.template.Namespace;
import java.time.Duration;

/** Reads and checks the spec of an endpoint that asks people. */
final class ApprovalSpecRequests {
    /** All but secrets: the page shows what these become. */
    private static final Namespace[] SHOWN = {
        Namespace.INPUT, Namespace.CONFIG, Namespace.PARENTS, Namespace.WORKFLOW, Namespace.JOB
    };

    private static final Duration SHORTEST_TIMEOUT = Duration.ofSeconds(1);

    private ApprovalSpecRequests() {}

    static ApprovalSpec read(Fields fields) {
        var timeout = fields.optionalDuration("timeout", Completion.LONGEST);
        if (timeout != null && timeout.compareTo(SHORTEST_TIMEOUT) < 0) {
            fields.violation("timeout", "must be at least " + SHORTEST_TIMEOUT);
        }
        var remindEvery = fields.optionalDuration("remind_every", Completion.LONGEST);
        if (remindEvery != null && remindEvery.compareTo(ApprovalSpec.SHORTEST_REMINDER) < 0) {
            fields.violation("remind_every", "must be at least " + ApprovalSpec.SHORTEST_REMINDER);
        }
        return new ApprovalSpec(
                fields.text("title"),
                fields.optionalText("details"),
                fields.name("announce"),
                timeout == null ? ApprovalSpec.DEFAULT_TIMEOUT : timeout,
                remindEvery,
                fields.choice("on_timeout", OnTimeout.class));
    }

    /** Hands the templates of {@code spec} to {@code templates}. */
    static void parse(ApprovalSpec spec, SpecTemplates templates) {
        templates.text("title", spec.title(), SHOWN);
        if (spec.details() != null) {
            templates.text("details", spec.details(), SHOWN);
        }
    }
}
