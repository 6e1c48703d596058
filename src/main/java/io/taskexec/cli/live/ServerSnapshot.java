package io.taskexec.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of a server at a moment.
 *
 * @param rates events per second by type; null when they were not counted
 * @param overview as the API returns it
 * @param remark the reason for missing parts; null when the snapshot is complete
 */
record ServerSnapshot(
        Instant at,
        @Nullable Map<String, Double> rates,
        JsonNode overview,
        List<JsonNode> running,
        List<JsonNode> deferred,
        List<JsonNode> failures,
        @Nullable String remark) {}
