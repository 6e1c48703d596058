package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What can be applied, in the order in which one needs the other. */
enum Kind {
    PAYLOAD_SPEC("PayloadSpec", "/payload-specs", Patterns.NAME),
    SECRET("Secret", "/secrets", Patterns.SECRET_NAME),
    CONFIG("Config", "/configs", Patterns.NAME),
    ENDPOINT("Endpoint", "/endpoints", Patterns.NAME),
    /** Shorter, because the name becomes a part of a tag. */
    JOB("Job", "/jobs", Patterns.JOB_NAME);

    private static final long LONGEST_USUAL_DELAY_MS = 60_000;
    private static final int USUAL_MAX = 1000;

    private final String word;
    private final String path;
    private final Pattern names;

    private static final class Patterns {
        static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
        static final Pattern SECRET_NAME = Pattern.compile("[A-Za-z0-9_-]{1,63}");
        static final Pattern JOB_NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?");
    }

    Kind(String word, String path, Pattern names) {
        this.word = word;
        this.path = path;
        this.names = names;
    }

    /** As files have it. */
    String word() {
        return word;
    }

    String path() {
        return path;
    }

    boolean mayBeCalled(String name) {
        return names.matcher(name).matches();
    }

    /** The kind that a file means, in upper or lower case, with or without a line between its words; null for none. */
    static @Nullable Kind of(String text) {
        for (var kind : values()) {
            if (kind.word.equalsIgnoreCase(text.replaceAll("[-_]", ""))) {
                return kind;
            }
        }
        return null;
    }

    /** What its fields look like. */
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
                            default -> Shape.Leaf.ANY;
                        });
            case JOB -> Shapes.JOB;
        };
    }

    /** The form of its fields that can be compared, of a file or of what the API shows. */
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
                            LONGEST_USUAL_DELAY_MS,
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
            catchUp.put("max", USUAL_MAX);
        }
        if (job.path("jitter").asText().equals("PT0S")) {
            job.remove("jitter");
        }
        if (job.has("cron") && !job.has("dst")) {
            job.putObject("dst").put("gap", "SHIFT").put("overlap", "FIRST");
        }
    }
}
