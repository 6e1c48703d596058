package io.taskexec.examples.cloudillo.task;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An action as its author wants it.
 *
 * @param type such as {@code POST}
 * @param content any JSON
 * @param parent the action that it belongs to
 * @param audience the only identity that it is for; null for all who get it
 * @param expiresIn how long it holds; null for ever
 * @param attachments ids of files that are here already
 * @param uploads files that have no ids yet
 */
public record Draft(
        String type,
        @Nullable JsonNode content,
        @Nullable String parent,
        @Nullable String audience,
        @Nullable Duration expiresIn,
        List<String> attachments,
        List<UUID> uploads) {}
