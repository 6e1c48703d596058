package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.text.YamlDocument;

/**
 * A resource as a file describes it.
 *
 * @param fields the fields of the request, without the name
 */
record DesiredResource(ResourceKind kind, String name, ObjectNode fields, YamlDocument document) {
    ResourceId identity() {
        return new ResourceId(kind, name);
    }

    /** The kind and the name of a resource. */
    record ResourceId(ResourceKind kind, String name) {
        @Override
        public String toString() {
            return kind.word() + " " + name;
        }
    }
}
