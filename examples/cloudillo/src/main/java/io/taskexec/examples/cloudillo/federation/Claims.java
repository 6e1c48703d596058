package io.taskexec.examples.cloudillo.federation;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The content of a token of an action.
 *
 * @param issuer the identity that has created it
 * @param audience the only identity that it is for; null for all who get it
 * @param issuedAt in seconds since 1970
 * @param expiresAt the same; null for never
 * @param type such as {@code POST}
 * @param content any JSON
 * @param parent the action that it belongs to
 * @param attachments ids of files
 * @param variants for attachments that are images: the ids of variants by their names
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Claims(
        @JsonProperty("iss") @Nullable String issuer,
        @JsonProperty("aud") @Nullable String audience,
        @JsonProperty("iat") long issuedAt,
        @JsonProperty("exp") @Nullable Long expiresAt,
        @JsonProperty("t") @Nullable String type,
        @JsonProperty("c") @Nullable JsonNode content,
        @JsonProperty("p") @Nullable String parent,
        @JsonProperty("a") @Nullable List<String> attachments,
        @JsonProperty("v") @Nullable Map<String, Map<String, String>> variants) {

    /** Returns the ids of all files that belong to the action. */
    public Set<String> files() {
        var files = new LinkedHashSet<String>();
        if (attachments != null) {
            files.addAll(attachments);
        }
        if (variants != null) {
            variants.values().forEach(variant -> files.addAll(variant.values()));
        }
        return files;
    }
}
