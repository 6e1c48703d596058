package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.Durations;
import io.taskexec.cli.text.YamlDocument;
import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.ValueType;

/** Finds misspelt fields and values of the wrong type before a request is sent; the server checks the rest. */
record TypeCheck(Problems problems) {
    void check(JsonNode value, ValueType type, String pointer) {
        switch (type) {
            case ValueType.Text text
            when text.isDuration() ->
                expect(
                        value.isTextual() && Durations.parse(value.textValue()) != null,
                        pointer,
                        "a duration, such as PT15M or 15m");
            case ValueType.Text _, ValueType.Words _ -> expectText(value, pointer);
            case ValueType.Decimal _ -> expect(value.isNumber(), pointer, "a number");
            case ValueType.Whole _ -> expect(value.canConvertToExactIntegral(), pointer, "an integer");
            case ValueType.Plain plain -> {
                switch (plain) {
                    case FLAG -> expect(value.isBoolean(), pointer, "true or false");
                    case TEXT -> expectText(value, pointer);
                    case TIME ->
                        expect(
                                value.isTextual() && NormalForm.time(value.textValue()) != null,
                                pointer,
                                "a time with offset, such as 2026-03-15T18:00:00Z");
                    case ANY -> {}
                }
            }
            case ValueType.ListOf list -> {
                expect(value.isArray(), pointer, "a list");
                for (var i = 0; value.isArray() && i < value.size(); i++) {
                    check(value.path(i), list.elements(), pointer + "/" + i);
                }
            }
            case ValueType.MapOf map -> {
                expect(value.isObject(), pointer, "an object");
                value.properties().forEach(e -> check(e.getValue(), map.values(), below(pointer, e.getKey())));
            }
            case ObjectDefinition object -> checkFields(value, object, pointer);
        }
    }

    private void checkFields(JsonNode value, ObjectDefinition object, String pointer) {
        if (!value.isObject()) {
            expect(false, pointer, "an object");
            return;
        }
        for (var given : value.properties()) {
            var field = object.fields().get(given.getKey());
            var below = below(pointer, given.getKey());
            if (field == null) {
                problems.add(
                        below,
                        "'" + given.getKey() + "' is not a known field; known fields: "
                                + String.join(", ", object.fields().keySet()));
            } else if (!given.getValue().isNull()) {
                check(given.getValue(), field.type(), below);
            }
        }
        object.fields().forEach((name, field) -> {
            if (field.isRequired() && !value.hasNonNull(name)) {
                problems.add(pointer, "'" + name + "' is required");
            }
        });
    }

    private void expectText(JsonNode value, String pointer) {
        expect(value.isTextual(), pointer, "a string, in quotes when it looks like another type");
    }

    private void expect(boolean fits, String pointer, String description) {
        if (!fits) {
            problems.add(pointer, "must be " + description);
        }
    }

    private static String below(String pointer, String name) {
        return pointer + "/" + YamlDocument.escape(name);
    }
}
