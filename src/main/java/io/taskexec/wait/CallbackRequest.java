package io.taskexec.wait;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.model.Json;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.taskexec.model.wait.CallbackStatus;
import io.taskexec.model.wait.Completion;
import io.taskexec.model.wait.CompletionFields;
import io.taskexec.model.wait.Report;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The content of a callback: the end of an attempt, or a report that its work goes on. */
public sealed interface CallbackRequest {
    /** The largest output, as JSON in UTF-8: as much as is kept of the answer of a receiver. */
    int MAX_OUTPUT_BYTES = 64 * 1024;

    /** The attempt has ended. */
    record End(Outcome outcome) implements CallbackRequest {}

    /** Its work goes on. */
    record Ongoing(Report report) implements CallbackRequest {}

    /** Reads the body of a callback; throws an {@link ApiException}. */
    static CallbackRequest read(byte @Nullable [] body) {
        var fields = Fields.of(body, CompletionFields.CALLBACK);
        var status = fields.decisiveChoice("status", CallbackStatus.class);
        refuse(fields, status, "output", CallbackStatus.SUCCEEDED, CallbackStatus.SUCCEEDED);
        refuse(fields, status, "error", CallbackStatus.FAILED, CallbackStatus.FAILED);
        refuse(fields, status, "progress", CallbackStatus.PROGRESS, CallbackStatus.PROGRESS);
        refuse(fields, status, "extend", CallbackStatus.PROGRESS, CallbackStatus.HEARTBEAT);
        return switch (status) {
            case SUCCEEDED -> succeeded(fields);
            case FAILED -> failed(fields);
            case PROGRESS, HEARTBEAT -> ongoing(fields, status);
        };
    }

    private static void refuse(
            Fields fields, CallbackStatus status, String field, CallbackStatus one, CallbackStatus other) {
        if (fields.has(field) && status != one && status != other) {
            fields.violation(field, "is not for the status '%s'".formatted(status.word()));
        }
    }

    private static CallbackRequest succeeded(Fields fields) {
        var output = fields.optionalTree("output");
        fields.check();
        if (output != null && Json.write(output).getBytes(StandardCharsets.UTF_8).length > MAX_OUTPUT_BYTES) {
            throw new ApiException(
                    ErrorCode.PAYLOAD_TOO_LARGE, "The output is larger than %d bytes.".formatted(MAX_OUTPUT_BYTES));
        }
        return new End(new Outcome.Succeeded(stored(output)));
    }

    /** The output of an execution beside those of deliveries, which have a body. */
    private static JsonNode stored(@Nullable JsonNode output) {
        var json = JsonNodeFactory.instance.objectNode();
        return output == null ? json : json.set("json", output);
    }

    private static CallbackRequest failed(Fields fields) {
        var error = fields.fields("error");
        if (!fields.has("error")) {
            fields.violation("error", "is required with the status 'failed'");
            fields.check();
        }
        var message = error.text("message");
        var permanent = error.flag("permanent");
        error.checkNested();
        fields.check();
        var failure = new Failure(Failure.Type.RECEIVER_FAILED, message);
        return new End(
                permanent ? new Outcome.PermanentFailure(failure, true) : new Outcome.RetryableFailure(failure, null));
    }

    private static CallbackRequest ongoing(Fields fields, CallbackStatus status) {
        var extend = fields.optionalDuration("extend", Completion.LONGEST);
        if (status == CallbackStatus.HEARTBEAT) {
            fields.check();
            return new Ongoing(new Report(extend, null, null, null));
        }
        if (!fields.has("progress")) {
            fields.violation("progress", "is required with the status 'progress'");
            fields.check();
        }
        var report = progress(fields.fields("progress"), extend);
        fields.check();
        return new Ongoing(report);
    }

    /** Reads the progress of work that goes on. */
    static Report progress(Fields progress, @Nullable Duration extend) {
        var current = progress.decimal("current");
        var total = progress.has("total") ? progress.decimal("total") : null;
        if (total != null && current > total) {
            progress.violation("current", "must not be more than the total");
        }
        var message = progress.optionalText("message");
        progress.checkNested();
        return new Report(extend, current, total, message);
    }
}
