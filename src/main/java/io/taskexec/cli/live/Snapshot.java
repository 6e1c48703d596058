package io.taskexec.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a server looks like at a moment.
 *
 * @param rates events in each second by type; null when nobody has counted
 * @param remark why something is missing; null when nothing is
 */
record Snapshot(
        String server,
        Instant at,
        @Nullable Map<String, Double> rates,
        List<JsonNode> queues,
        List<JsonNode> breakers,
        List<JsonNode> running,
        List<JsonNode> failures,
        @Nullable String remark) {}
