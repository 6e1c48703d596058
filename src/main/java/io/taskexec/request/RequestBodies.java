package io.taskexec.request;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads request bodies: strict UTF-8, strict JSON, and no text that PostgreSQL cannot keep. */
public final class RequestBodies {
    public static final int MAX_BYTES = 1 << 20;

    private static final char REPLACEMENT = '\ufffd';

    private RequestBodies() {}

    public static JsonNode parse(byte @Nullable [] body) {
        if (body == null || body.length == 0) {
            throw new ApiException(ErrorCode.INVALID_REQUEST, "A JSON body is required.");
        }
        if (body.length > MAX_BYTES) {
            throw tooLarge();
        }
        var text = decode(body);
        try {
            var tree = Json.parse(text);
            if (!Json.hasStorableTexts(tree, text)) {
                throw new ApiException(
                        ErrorCode.INVALID_REQUEST, "Strings must not contain NUL characters or unpaired surrogates.");
            }
            return tree;
        } catch (JsonProcessingException e) {
            throw new ApiException(ErrorCode.INVALID_REQUEST, "The body is not valid JSON: " + reason(e));
        }
    }

    public static ApiException tooLarge() {
        return new ApiException(ErrorCode.PAYLOAD_TOO_LARGE, "The body is larger than 1 MiB.");
    }

    private static String decode(byte[] body) {
        var text = new String(body, StandardCharsets.UTF_8);
        if (text.indexOf(REPLACEMENT) < 0) {
            return text;
        }
        // It may be what was sent, or stand for what is malformed. A strict decoder needs more room than the text.
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString();
        } catch (CharacterCodingException _) {
            throw new ApiException(ErrorCode.INVALID_REQUEST, "The body is not valid UTF-8.");
        }
    }

    private static String reason(JsonProcessingException e) {
        var where = e.getLocation();
        return where == null
                ? e.getOriginalMessage()
                : "%s (line %d, column %d)".formatted(e.getOriginalMessage(), where.getLineNr(), where.getColumnNr());
    }
}
