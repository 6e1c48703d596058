package io.taskexec.cli.convert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.taskexec.cli.text.MalformedTextException;
import io.taskexec.cli.text.YamlDocument;
import io.taskexec.cli.text.YamlReader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the objects of a JSON or YAML file. */
final class Entries {
    private Entries() {}

    /** One object of a file. */
    record Entry(YamlDocument document, String pointer) {
        JsonNode tree() {
            return document.tree().at(pointer);
        }

        /** Returns a text that must be there. */
        String text(String field) throws MalformedTextException {
            var value = tree().path(field);
            if (!value.isTextual() || value.textValue().isBlank()) {
                throw malformed("'" + field + "' is missing or not a string");
            }
            return value.textValue();
        }

        /** Returns a text; null without one. */
        @Nullable
        String textOrNull(String field) {
            var value = tree().path(field);
            return value.isValueNode() && !value.isNull() ? value.asText() : null;
        }

        MalformedTextException malformed(String reason) {
            return new MalformedTextException(document.at(pointer) + ": " + reason + ".");
        }
    }

    /** Reads all documents; the output of several commands may stand in one file, one object after the other. */
    static List<YamlDocument> read(String file, String text) throws MalformedTextException {
        var documents = YamlReader.read(file, text.replaceAll("(?m)^([}\\]]\\R)(?=[{\\[])", "$1--- "));
        if (documents.isEmpty()) {
            throw new MalformedTextException(file + ": There is nothing in it.");
        }
        return documents;
    }

    /**
     * Returns the objects of a document: those of an array, at this pointer or of the whole document, or the only one.
     */
    static List<Entry> of(YamlDocument document, String pointer) throws MalformedTextException {
        var found = document.tree().at(pointer);
        var entries = new ArrayList<Entry>();
        if (found instanceof ArrayNode array) {
            for (var i = 0; i < array.size(); i++) {
                entries.add(new Entry(document, pointer + "/" + i));
            }
        } else {
            entries.add(new Entry(document, pointer));
        }
        for (var entry : entries) {
            if (!entry.tree().isObject()) {
                throw entry.malformed("an object is expected here");
            }
        }
        return entries;
    }
}
