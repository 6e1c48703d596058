package io.taskexec.cli.convert;

import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.Arrays;
import java.util.Iterator;

/** The words of the formats, for completion and help. */
@RegisterForReflection
final class FormatNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
        return Arrays.stream(SourceFormat.values()).map(SourceFormat::word).iterator();
    }
}
