package io.taskexec.cli.noun;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The value of an option that is JSON. */
final class JsonOption {
    private JsonOption() {}

    static JsonNode read(CommandSpec spec, String option, String text) {
        try {
            return Json.parse(text);
        } catch (JsonProcessingException e) {
            throw new ParameterException(
                    spec.commandLine(), option + " must be JSON: " + e.getOriginalMessage() + ".", e);
        }
    }
}
