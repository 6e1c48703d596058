package io.taskexec.api.callback;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Fails;
import io.taskexec.api.web.RequestRate;
import io.taskexec.api.web.RequestSchema;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.secret.CallbackTokens;
import io.taskexec.secret.CallbackTokens.Purpose;
import io.taskexec.secret.CallbackTokens.Subject;
import io.taskexec.wait.CallbackRequest;
import io.taskexec.wait.ReceiverCallbacks;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.time.Duration;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.server.Cancellable;
import org.jspecify.annotations.Nullable;

/** Callbacks of receivers: the token in the path is all that they need. */
@Path("/callbacks/{token}")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class CallbackResource {
    /** Callbacks a second of one attempt, by one process. */
    static final int MOST_PER_SEC = 20;

    private static final int MOST_COUNTED = 100_000;
    private static final Duration COUNTED = Duration.ofMinutes(1);

    private final CallbackTokens tokens;
    private final ReceiverCallbacks callbacks;
    private final Cache<Subject, RequestRate> rates = Caffeine.newBuilder()
            .maximumSize(MOST_COUNTED)
            .expireAfterAccess(COUNTED)
            .build();

    CallbackResource(CallbackTokens tokens, ReceiverCallbacks callbacks) {
        this.tokens = tokens;
        this.callbacks = callbacks;
    }

    @POST
    @Operation(
            operationId = "callBack",
            summary = "Say how a deferred attempt ends, or that its work goes on.",
            description =
                    "For receivers: the address is that of the header Taskexec-Callback-Url, and needs no API key."
                            + " The same callback may be sent again, and is answered by what is recorded.")
    @RequestSchema("CallbackRequest")
    @Fails({
        ErrorCode.CALLBACK_NOT_FOUND,
        ErrorCode.EXECUTION_ENDED,
        ErrorCode.ATTEMPT_ENDED,
        ErrorCode.PAYLOAD_TOO_LARGE,
        ErrorCode.RATE_LIMITED
    })
    public Uni<CallbackView> callBack(@RestPath String token, byte @Nullable [] body) {
        var attempt = tokens.read(Purpose.CALLBACK, token);
        if (attempt == null) {
            throw ReceiverCallbacks.unknown();
        }
        var rate = rates.get(attempt, _ -> new RequestRate(MOST_PER_SEC));
        if (rate != null && !rate.take(System.nanoTime())) {
            throw new ApiException(ErrorCode.RATE_LIMITED, "More than %d callbacks a second.".formatted(MOST_PER_SEC));
        }
        return callbacks
                .accept(attempt, CallbackRequest.read(body))
                .map(answer -> CallbackView.of(attempt.executionId(), answer));
    }
}
