package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.text.YamlDocument;

/**
 * A resource as a file wants it.
 *
 * @param fields what is sent, without the name
 */
record Declared(Kind kind, String name, ObjectNode fields, YamlDocument document) {
    /** What tells it from all others. */
    Identity identity() {
        return new Identity(kind, name);
    }

    /** A kind and a name. */
    record Identity(Kind kind, String name) {
        @Override
        public String toString() {
            return kind.word() + " " + name;
        }
    }
}
