package io.taskexec.lease;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.model.Json;
import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.job.Failure;
import io.taskexec.model.lease.LeaseFields;
import io.taskexec.model.wait.Completion;
import io.taskexec.model.wait.Report;
import io.taskexec.request.ApiException;
import io.taskexec.request.Fields;
import io.taskexec.wait.CallbackRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A statement of a pull worker about one of its leases. */
public sealed interface LeaseItem {
    /** The lease as the worker names it. */
    String lease();

    /** Needs more time. */
    record Extend(String lease, @Nullable Report progress) implements LeaseItem {}

    /** Has succeeded; without an output that is larger than allowed. */
    record Complete(String lease, @Nullable JsonNode output) implements LeaseItem {}

    /** Has failed. */
    record Fail(
            String lease,
            Failure failure,
            boolean permanent,
            @Nullable Duration retryAfter) implements LeaseItem {}

    /** Waits for a callback. */
    record Defer(String lease, @Nullable Duration timeout) implements LeaseItem {}

    /** Is handed back. */
    record Release(String lease) implements LeaseItem {}

    /**
     * A request for more time.
     *
     * @param lease from now on
     */
    record Extension(Duration lease, List<Extend> items) {}

    /** Reads a request; throws an {@link ApiException}. */
    static Extension extensions(byte @Nullable [] body) {
        var fields = Fields.of(body, LeaseFields.EXTEND);
        var lease = LeaseRequest.lease(fields);
        return new Extension(
                lease, read(fields, LeaseFields.EXTEND, item -> new Extend(item.text("lease"), progress(item))));
    }

    /** Reads a request; throws an {@link ApiException}. */
    static List<Complete> completions(byte @Nullable [] body) {
        return read(body, LeaseFields.COMPLETE, item -> new Complete(item.text("lease"), output(item)));
    }

    /** Reads a request; throws an {@link ApiException}. */
    static List<Fail> failures(byte @Nullable [] body) {
        return read(body, LeaseFields.FAIL, LeaseItem::failure);
    }

    /** Reads a request; throws an {@link ApiException}. */
    static List<Defer> deferrals(byte @Nullable [] body) {
        return read(
                body,
                LeaseFields.DEFER,
                item -> new Defer(item.text("lease"), item.optionalDuration("timeout", Completion.LONGEST)));
    }

    /** Reads a request; throws an {@link ApiException}. */
    static List<Release> releases(byte @Nullable [] body) {
        return read(body, LeaseFields.RELEASE, item -> new Release(item.text("lease")));
    }

    private static <T> List<T> read(byte @Nullable [] body, ObjectDefinition definition, Function<Fields, T> reader) {
        return read(Fields.of(body, definition), definition, reader);
    }

    private static <T> List<T> read(Fields fields, ObjectDefinition definition, Function<Fields, T> reader) {
        var items = new ArrayList<T>();
        var given = fields.array("leases");
        fields.check();
        for (var i = 0; i < given.size(); i++) {
            var item = Fields.of(given.get(i), "/leases/" + i, LeaseFields.item(definition));
            items.add(reader.apply(item));
            item.check();
        }
        return items;
    }

    private static @Nullable Report progress(Fields item) {
        return item.has("progress") ? CallbackRequest.progress(item.fields("progress"), null) : null;
    }

    private static @Nullable JsonNode output(Fields item) {
        var output = item.optionalTree("output");
        var json = JsonNodeFactory.instance.objectNode();
        if (output == null) {
            return json;
        }
        var size = Json.write(output).getBytes(StandardCharsets.UTF_8).length;
        return size > CallbackRequest.MAX_OUTPUT_BYTES ? null : json.set("json", output);
    }

    private static Fail failure(Fields item) {
        var lease = item.text("lease");
        var error = item.fields("error");
        var message = error.text("message");
        var code = error.optionalText("code");
        var permanent = error.flag("permanent");
        var retryAfter = error.optionalDuration("retry_after", Completion.LONGEST);
        error.checkNested();
        var failure = new Failure(Failure.Type.RECEIVER_FAILED, message, null, null, code);
        return new Fail(lease, failure, permanent, retryAfter);
    }
}
