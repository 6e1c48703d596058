package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.InputText;
import io.taskexec.cli.text.MalformedTextException;
import io.taskexec.cli.text.YamlDocument;
import io.taskexec.cli.text.YamlReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads resources from files, and finds all errors in them before a request is sent. */
final class Manifests {
    private static final List<String> ENDINGS = List.of(".yaml", ".yml", ".json");

    private final Problems problems = new Problems();
    private final Map<DesiredResource.ResourceId, DesiredResource> declared = new LinkedHashMap<>();
    private final Map<String, String> environment;

    Manifests(Map<String, String> environment) {
        this.environment = environment;
    }

    /** Returns all errors. Only without errors is {@link #declared} complete. */
    List<String> problems() {
        return problems.sentences();
    }

    /** Returns the resources in the order of the files. */
    List<DesiredResource> declared() {
        return List.copyOf(declared.values());
    }

    /** Reads a file, all files below a folder, or the standard input. */
    void read(String name) {
        for (var file : files(name)) {
            try {
                var text = InputText.read(file);
                for (var document : YamlReader.read(file.equals(InputText.STANDARD_INPUT) ? "<stdin>" : file, text)) {
                    take(document);
                }
            } catch (MalformedTextException e) {
                problems.addSentence(String.valueOf(e.getMessage()));
            }
        }
    }

    private List<String> files(String name) {
        var root = Path.of(name);
        if (name.equals(InputText.STANDARD_INPUT) || !Files.isDirectory(root)) {
            return List.of(name);
        }
        var visit = new Visit();
        try {
            var _ = Files.walkFileTree(root, Set.of(FileVisitOption.FOLLOW_LINKS), Integer.MAX_VALUE, visit);
        } catch (IOException | UncheckedIOException _) {
            problems.addSentence("The folder " + name + " cannot be read.");
            return List.of();
        }
        if (visit.files.isEmpty()) {
            problems.addSentence("The folder " + name + " has no .yaml, .yml or .json files.");
        }
        return visit.files.stream().sorted().toList();
    }

    /**
     * Finds the files below a folder, each folder once: links may lead to one that is read anyway, or back. A mounted
     * ConfigMap of Kubernetes repeats each file in a folder whose name begins with a dot.
     */
    private static final class Visit extends SimpleFileVisitor<Path> {
        private final List<String> files = new ArrayList<>();
        private final Set<Path> folders = new HashSet<>();

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
            var isRoot = folders.isEmpty();
            return (isRoot || !isHidden(folder)) && folders.add(folder.toRealPath())
                    ? FileVisitResult.CONTINUE
                    : FileVisitResult.SKIP_SUBTREE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (!isHidden(file) && ENDINGS.stream().anyMatch(file.toString()::endsWith)) {
                files.add(file.toString());
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            if (failure instanceof FileSystemLoopException || isHidden(file)) {
                return FileVisitResult.CONTINUE;
            }
            throw failure;
        }

        private static boolean isHidden(Path path) {
            return String.valueOf(path.getFileName()).startsWith(".");
        }
    }

    private void take(YamlDocument document) {
        var found = problems.of(document);
        if (!(document.tree() instanceof ObjectNode object)) {
            found.add("", "must have the fields kind, name and those of the API");
            return;
        }
        var fields = object.deepCopy();
        var kind = ResourceKind.of(fields.path("kind").asText());
        var name = fields.path("name");
        if (kind == null) {
            found.add(
                    "/kind",
                    "must be one of "
                            + Arrays.stream(ResourceKind.values())
                                    .map(ResourceKind::word)
                                    .collect(Collectors.joining(", ")));
            return;
        }
        if (!name.isTextual() || !kind.allowsName(name.textValue())) {
            found.add("/name", "must be a name for a " + kind.word() + ", in quotes when it looks like a number");
            return;
        }
        fields.remove(List.of("kind", "name"));
        var before = problems.sentences().size();
        new TypeCheck(found).check(fields, kind.definition(fields), "");
        if (problems.sentences().size() == before) {
            new ManifestRules(kind, name.textValue(), fields, environment).check(found);
        }
        if (problems.sentences().size() > before) {
            return;
        }
        removeNulls(kind, fields);
        add(new DesiredResource(kind, name.textValue(), fields, document), found);
    }

    /** A null field counts as not set. */
    private static void removeNulls(ResourceKind kind, ObjectNode fields) {
        var empty = new ArrayList<String>();
        fields.properties().forEach(e -> {
            if (e.getValue().isNull()
                    && !(kind == ResourceKind.JOB && e.getKey().equals("input"))) {
                empty.add(e.getKey());
            }
        });
        fields.remove(empty);
    }

    private void add(DesiredResource wanted, Problems found) {
        var other = declared.putIfAbsent(wanted.identity(), wanted);
        if (other != null) {
            found.add(
                    "/name",
                    "this is repeated: " + wanted.identity() + " is at "
                            + other.document().at("/name") + " too");
        }
    }
}
