package io.taskexec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** docs/native.md: what a native executable is told of. */
final class NativeList {
    private static final Path LIST = Path.of("docs/native.md");

    /** The first column of a row of a table, when that is a name. */
    private static final Pattern ROW = Pattern.compile("^\\| `([^`]+)`", Pattern.MULTILINE);

    private NativeList() {}

    /** The names in the first column of the table below this heading, sorted. */
    static Set<String> below(String heading) {
        try {
            var text = Files.readString(LIST);
            var start = text.indexOf("## " + heading + "\n");
            assertThat(start).as(heading).isNotNegative();
            var end = text.indexOf("\n## ", start);
            var names = new TreeSet<String>();
            ROW.matcher(end < 0 ? text.substring(start) : text.substring(start, end))
                    .results()
                    .forEach(row -> names.add(row.group(1)));
            return names;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
