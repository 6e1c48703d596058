package io.taskexec.cli.option;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.taskexec.cli.Durations;
import io.taskexec.cli.client.ResourceName;
import io.taskexec.model.Json;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Turns values of options into fields of a request. Options that are not given add no field. */
public record JsonFields(ObjectNode fields, CommandSpec spec) {
    @CanIgnoreReturnValue
    public JsonFields put(String field, @Nullable String value) {
        if (value != null) {
            fields.put(field, value);
        }
        return this;
    }

    @CanIgnoreReturnValue
    public JsonFields put(String field, @Nullable Integer value) {
        if (value != null) {
            fields.put(field, value);
        }
        return this;
    }

    /**
     * Adds the name or id of a resource.
     *
     * @param noun its kind, which {@code -o name} prints before it
     */
    @CanIgnoreReturnValue
    public JsonFields putName(String field, String noun, @Nullable String value) {
        return put(field, value == null ? null : ResourceName.bare(noun, value));
    }

    @CanIgnoreReturnValue
    public JsonFields putDuration(String field, @Nullable String value) {
        return put(field, value == null ? null : Durations.iso(value));
    }

    /**
     * Adds a value of JSON.
     *
     * @param option the option that has the value, for the error
     */
    @CanIgnoreReturnValue
    public JsonFields putJson(String field, String option, @Nullable String value) {
        if (value != null) {
            fields.set(field, parse(spec, option, value));
        }
        return this;
    }

    public static JsonNode parse(CommandSpec spec, String option, String text) {
        try {
            return Json.parse(text);
        } catch (JsonProcessingException e) {
            throw new ParameterException(
                    spec.commandLine(), option + " must be JSON: " + e.getOriginalMessage() + ".", e);
        }
    }
}
