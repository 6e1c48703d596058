package io.taskexec.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/** Reads answers that are errors, also those of proxies. */
final class Refusals {
    private Refusals() {}

    static TaskexecException.Refusal read(HttpResponse<?> response) {
        var error = tree(response.body()).path("error");
        var details = new ArrayList<TaskexecException.Detail>();
        error.path("details")
                .forEach(detail -> details.add(new TaskexecException.Detail(
                        detail.path("pointer").asText(), detail.path("message").asText())));
        return new TaskexecException.Refusal(
                response.statusCode(),
                error.path("code").asText("HTTP_" + response.statusCode()),
                error.path("message").asText("The answer was " + response.statusCode() + "."),
                response.headers().firstValue("X-Request-Id").orElse(null),
                details,
                retryAfter(response));
    }

    private static JsonNode tree(@Nullable Object body) {
        try {
            if (body instanceof InputStream stream) {
                try (stream) {
                    return Json.API.readTree(stream);
                }
            }
            return body instanceof byte[] bytes ? Json.API.readTree(bytes) : MissingNode.getInstance();
        } catch (IOException e) {
            return MissingNode.getInstance();
        }
    }

    private static @Nullable Duration retryAfter(HttpResponse<?> response) {
        var seconds = response.headers().firstValue("Retry-After").orElse("");
        return seconds.matches("\\d{1,6}") ? Duration.ofSeconds(Long.parseLong(seconds)) : null;
    }
}
