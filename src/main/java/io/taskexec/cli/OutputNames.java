package io.taskexec.cli;

import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.Iterator;
import java.util.List;

/** The forms of output as shells complete them. */
@RegisterForReflection
final class OutputNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
        return List.of("table", "json", "yaml", "name", OutputForm.TEMPLATE).iterator();
    }
}
