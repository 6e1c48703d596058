package io.taskexec.request;

import io.taskexec.request.ApiException.Detail;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of every error. */
@Schema(name = "ErrorResponse")
public record ErrorBody(Explanation error) {
    /**
     * An error of the API.
     *
     * @param details what exactly is wrong, when more can be said than the message does
     * @param replacedById the next version of the job, where the one that was meant has been replaced
     */
    @Schema(name = "ApiError")
    public record Explanation(
            String code,
            String message,
            String requestId,
            @Nullable List<Detail> details,
            @Nullable String replacedById) {}

    public static ErrorBody of(ApiException e, String requestId) {
        var details = e.details().isEmpty() ? null : e.details();
        return new ErrorBody(
                new Explanation(e.code().name(), String.valueOf(e.getMessage()), requestId, details, e.replacedById()));
    }
}
