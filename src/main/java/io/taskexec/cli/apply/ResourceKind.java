package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The kinds of resources that can be applied, in the order of their dependencies. */
enum ResourceKind {
    PAYLOAD_SPEC("PayloadSpec", "/payload-specs", Patterns.NAME),
    SECRET("Secret", "/secrets", Patterns.SECRET_NAME),
    CONFIG("Config", "/configs", Patterns.NAME),
    ENDPOINT("Endpoint", "/endpoints", Patterns.NAME),
    /** The name is shorter, because it becomes part of a tag. */
    JOB("Job", "/jobs", Patterns.JOB_NAME);

    private static final long DEFAULT_MAX_DELAY_MS = 60_000;
    private static final int DEFAULT_CATCH_UP_MAX = 1000;

    private final String word;
    private final String path;
    private final Pattern names;

    private static final class Patterns {
        static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
        static final Pattern SECRET_NAME = Pattern.compile("[A-Za-z0-9_-]{1,63}");
        static final Pattern JOB_NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?");
    }

    ResourceKind(String word, String path, Pattern names) {
        this.word = word;
        this.path = path;
        this.names = names;
    }

    String word() {
        return word;
    }

    String path() {
        return path;
    }

    boolean allowsName(String name) {
        return names.matcher(name).matches();
    }

    /** Returns the kind of a name, ignoring case, hyphens and underscores; null for an unknown one. */
    static @Nullable ResourceKind of(String text) {
        for (var kind : values()) {
            if (kind.word.equalsIgnoreCase(text.replaceAll("[-_]", ""))) {
                return kind;
            }
        }
        return null;
    }

    /** Returns the shape of the fields. */
    Shape shape(JsonNode fields) {
        return switch (this) {
            case PAYLOAD_SPEC -> Shapes.PAYLOAD_SPEC;
            case SECRET -> Shapes.SECRET;
            case CONFIG -> Shapes.CONFIG;
            case ENDPOINT ->
                Shapes.endpoint(
                        switch (fields.path("type").asText()) {
                            case "HTTP" -> Shapes.HTTP;
                            case "KAFKA" -> Shapes.KAFKA;
                            case "REDIS_STREAM" -> Shapes.REDIS_STREAM;
                            default -> Shape.Scalar.ANY;
                        });
            case JOB -> Shapes.JOB;
        };
    }

    /** Returns the normal form of fields from a file or from the API, for comparison. */
    ObjectNode normal(JsonNode fields) {
        var normal = (ObjectNode) shape(fields).normal(fields);
        switch (this) {
            case PAYLOAD_SPEC, SECRET, CONFIG -> {}
            case ENDPOINT -> {
                fillDelay((ObjectNode) normal.path("retry_policy"));
                if (normal.get("spec") instanceof ObjectNode spec) {
                    simplifyEvents(spec);
                }
            }
            case JOB -> fillSchedule(normal);
        }
        return normal;
    }

    private static void fillDelay(ObjectNode policy) {
        if (!policy.has("max_delay_ms")) {
            policy.put(
                    "max_delay_ms",
                    Math.max(
                            DEFAULT_MAX_DELAY_MS,
                            policy.path("initial_delay_ms").asLong()));
        }
    }

    private static void simplifyEvents(ObjectNode spec) {
        var events = spec.path("cloud_events");
        if (events.isBoolean() && !events.booleanValue()) {
            spec.remove("cloud_events");
        } else if (events.path("type").asText().equals("io.taskexec.job")) {
            spec.put("cloud_events", true);
        }
    }

    private static void fillSchedule(ObjectNode job) {
        if (job.get("catch_up") instanceof ObjectNode catchUp
                && catchUp.path("mode").asText().equals("ALL")
                && !catchUp.has("max")) {
            catchUp.put("max", DEFAULT_CATCH_UP_MAX);
        }
        if (job.path("jitter").asText().equals("PT0S")) {
            job.remove("jitter");
        }
        if (job.has("cron") && !job.has("dst")) {
            job.putObject("dst").put("gap", "SHIFT").put("overlap", "FIRST");
        }
    }
}
