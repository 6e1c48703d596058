package io.taskexec.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.job.JobFields;
import io.taskexec.model.job.OnConflict;
import io.taskexec.observe.log.LogFields;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorBody;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.ErrorMapping;
import io.taskexec.request.Fields;
import io.taskexec.request.RequestBodies;
import io.taskexec.request.RequestId;
import io.taskexec.store.sql.Once;
import jakarta.inject.Singleton;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Creates jobs that come another way than over HTTP, of the JSON that {@code POST /jobs} takes and with its errors. */
@Singleton
public final class JobIngestion {
    private static final Logger LOG = Logger.getLogger(JobIngestion.class);
    private static final String KEY = "idempotency_key";
    private static final String ON_CONFLICT = "on_conflict";

    private final JobCreation creation;
    private final ObjectMapper mapper;

    JobIngestion(JobCreation creation, ObjectMapper mapper) {
        this.creation = creation;
        this.mapper = mapper;
    }

    /** The outcome of a request for a job. */
    public sealed interface Answer {
        /** The job is in the database; it was there already, with the same key, unless it was {@code created} now. */
        record Stored(boolean created) implements Answer {}

        /**
         * There will never be such a job.
         *
         * @param code that of the error
         * @param body the error as the API answers it
         */
        record Refused(String code, String message, String body) implements Answer {}

        /** Unknown: the same request must be repeated. */
        record Later(String reason) implements Answer {}
    }

    /**
     * Creates jobs, of those with one key the first one first; returns what became of each in the same order.
     *
     * @param keys stand for the JSON's {@code idempotency_key} where that is missing
     */
    public <M> Uni<List<Answer>> createAll(
            List<M> messages, Function<M, byte @Nullable []> jsons, Function<M, byte @Nullable []> keys) {
        var before = new HashMap<String, Uni<Answer>>();
        return Uni.join()
                .all(messages.stream()
                        .map(message -> inTurn(jsons.apply(message), keys.apply(message), before))
                        .toList())
                .andFailFast();
    }

    private Uni<Answer> inTurn(byte @Nullable [] json, byte @Nullable [] messageKey, Map<String, Uni<Answer>> before) {
        try {
            var job = keyed(RequestBodies.parse(json), messageKey);
            if (job.hasNonNull(JobFields.TARGET)) {
                // No API key stands behind a message.
                throw invalid(JobFields.TARGET, "is not for messages: name an endpoint");
            }
            var bytes = json == null ? 0 : json.length;
            var key = job.path(KEY).asText();
            var sameKey = before.get(key);
            var answer = sameKey == null
                    ? create(job, bytes)
                    : sameKey.chain(first ->
                            first instanceof Answer.Later ? Uni.createFrom().item(first) : create(job, bytes));
            var once = Once.forAll(answer);
            before.put(key, once);
            return once;
        } catch (ApiException e) {
            return Uni.createFrom().item(explain(e));
        }
    }

    private Uni<Answer> create(JsonNode job, long bytes) {
        return Uni.createFrom()
                .deferred(() -> creation.create(
                        Fields.of(job, "", JobFields.NEW_JOB), null, null, CheckTime.ofMessage(bytes), false))
                .<Answer>map(outcome -> new Answer.Stored(outcome.created()))
                .onFailure()
                .recoverWithItem(this::explain);
    }

    /** A message may come twice, so that a job without a key could be created twice. */
    private static JsonNode keyed(JsonNode job, byte @Nullable [] key) {
        if (job instanceof ObjectNode object && !object.hasNonNull(KEY)) {
            if (key == null || key.length == 0) {
                throw invalid(KEY, "is required, unless the message has a key");
            }
            object.put(KEY, text(key));
        }
        // A message that comes again must not be refused because of its own job. Another one with its key still is.
        if (job instanceof ObjectNode object
                && OnConflict.REJECT.word().equals(object.path(ON_CONFLICT).asText())) {
            object.remove(ON_CONFLICT);
        }
        return job;
    }

    private static String text(byte[] key) {
        try {
            var text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(key))
                    .toString();
            if (text.indexOf('\0') < 0) {
                return text;
            }
        } catch (CharacterCodingException _) {
            // The same as a text that the database cannot have.
        }
        throw invalid(KEY, "is missing, and the key of the message is no text in UTF-8 without NUL characters");
    }

    private static ApiException invalid(String field, String message) {
        return new ApiException(
                ErrorCode.INVALID_REQUEST,
                "'/%s' %s.".formatted(field, message),
                List.of(new ApiException.Detail("/" + field, message)));
    }

    private Answer explain(Throwable failure) {
        var error = ErrorMapping.explain(failure);
        // CONFLICT says that the endpoint was changed over and over while the job was created.
        if (error.code() == ErrorCode.UNAVAILABLE || error.code() == ErrorCode.CONFLICT) {
            return new Answer.Later(String.valueOf(error.getMessage()));
        }
        var body = ErrorBody.of(error, RequestId.fresh());
        if (error.code() == ErrorCode.INTERNAL_ERROR) {
            var id = body.error().requestId();
            LogFields.ofRequest(id, null).log(() -> LOG.errorf(failure, "job %s failed", id));
        }
        return new Answer.Refused(error.code().name(), String.valueOf(error.getMessage()), json(body));
    }

    private String json(ErrorBody body) {
        try {
            return mapper.writeValueAsString(body);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an error body is always JSON", e);
        }
    }
}
