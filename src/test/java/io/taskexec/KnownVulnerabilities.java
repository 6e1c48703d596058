package io.taskexec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The dated list of known vulnerabilities in {@code known-vulnerabilities.csv}, which versions of libraries are
 * compared with.
 *
 * @param reviewed when it was last compared with what is published
 */
record KnownVulnerabilities(LocalDate reviewed, List<Advisory> advisories) {
    private static final Path LIST = Path.of("src", "test", "resources", "known-vulnerabilities.csv");
    private static final Pattern REVIEWED = Pattern.compile("Looked through: (\\d{4}-\\d{2}-\\d{2})");

    /**
     * A library in one version.
     *
     * @param name group and artifact
     */
    record Library(String name, String version) {}

    /**
     * One row.
     *
     * @param from the first version that is vulnerable; empty when all before {@code fixed} are
     * @param fixed the first version that is not
     * @param accepted why it is no danger here; empty when it is one
     */
    record Advisory(String name, String from, String fixed, String id, String what, String accepted) {
        private static final int COLUMNS = 6;

        static Advisory parse(String row) {
            var cells = row.split(";", -1);
            if (cells.length != COLUMNS) {
                throw new IllegalArgumentException("not " + COLUMNS + " columns: " + row);
            }
            return new Advisory(cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]);
        }

        boolean concerns(Library library) {
            return name.equals(library.name())
                    && (from.isEmpty() || MavenVersion.ORDER.compare(from, library.version()) <= 0)
                    && MavenVersion.ORDER.compare(library.version(), fixed) < 0;
        }
    }

    static KnownVulnerabilities read() throws IOException {
        var lines = Files.readAllLines(LIST);
        var reviewed = REVIEWED.matcher(String.join("\n", lines));
        if (!reviewed.find()) {
            throw new IllegalArgumentException("the list does not say when it was looked through");
        }
        var advisories = lines.stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(Advisory::parse)
                .toList();
        return new KnownVulnerabilities(LocalDate.parse(reviewed.group(1)), advisories);
    }

    /** A sentence for each library with a vulnerability that is not accepted. */
    List<String> complaints(Collection<Library> libraries) {
        return libraries.stream()
                .flatMap(library -> advisories.stream()
                        .filter(advisory -> advisory.accepted().isEmpty() && advisory.concerns(library))
                        .map(advisory -> "%s %s has %s (%s), fixed in %s"
                                .formatted(
                                        library.name(),
                                        library.version(),
                                        advisory.id(),
                                        advisory.what(),
                                        advisory.fixed())))
                .sorted()
                .toList();
    }

    /** The library that a file of a Maven repository holds; null when the list has no row for it. */
    @Nullable
    Library ofFile(String path) {
        return advisories.stream()
                .map(Advisory::name)
                .distinct()
                .filter(name -> path.contains(folder(name)))
                .map(name -> new Library(name, version(path, name)))
                .findFirst()
                .orElse(null);
    }

    private static String version(String path, String name) {
        var rest = path.substring(path.indexOf(folder(name)) + folder(name).length());
        return rest.substring(0, rest.indexOf('/'));
    }

    private static String folder(String name) {
        var colon = name.indexOf(':');
        return "/" + name.substring(0, colon).replace('.', '/') + "/" + name.substring(colon + 1) + "/";
    }
}
