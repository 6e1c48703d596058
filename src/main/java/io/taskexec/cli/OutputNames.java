package io.taskexec.cli;

import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.Iterator;
import java.util.List;

/** The formats for shell completion. */
@RegisterForReflection
final class OutputNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
        return List.of("table", "json", "yaml", "name", OutputFormat.TEMPLATE).iterator();
    }
}
