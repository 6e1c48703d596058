package io.taskexec.cli.text;

import java.util.Map;
import org.snakeyaml.engine.v2.api.ConstructNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.resolver.ScalarResolver;
import org.snakeyaml.engine.v2.schema.Schema;

/** A YAML schema that only resolves the types of scalars; trees are built from nodes without constructors. */
record ScalarSchema(ScalarResolver getScalarResolver) implements Schema {
    @Override
    public Map<Tag, ConstructNode> getSchemaTagConstructors() {
        return Map.of();
    }
}
