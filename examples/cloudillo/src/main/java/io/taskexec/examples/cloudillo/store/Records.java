package io.taskexec.examples.cloudillo.store;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.taskexec.client.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The knowledge of an instance: a small JSON file for each thing, by kind and name, that is replaced as a whole. */
public final class Records {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._~-]{0,200}");

    private final ObjectMapper mapper = Json.data();
    private final Path folder;

    /**
     * Opens the store.
     *
     * @param folder is created
     */
    public Records(Path folder) throws IOException {
        this.folder = Files.createDirectories(folder.resolve("records"));
    }

    /** Writes a record, in place of the one with its name. */
    public void put(String kind, String name, Object value) throws IOException {
        var target = path(kind, name);
        var file = Files.write(folder.resolve(UUID.randomUUID() + ".new"), mapper.writeValueAsBytes(value));
        DurableFiles.move(file, target);
    }

    /** Reads a record; null when there is no such one. */
    public <T> @Nullable T get(String kind, String name, Class<T> type) throws IOException {
        try {
            return mapper.readValue(Files.readAllBytes(path(kind, name)), type);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Reads all records of a kind, by their names. */
    public <T> List<T> all(String kind, Class<T> type) throws IOException {
        var found = new ArrayList<T>();
        var place = folder.resolve(kind);
        if (Files.isDirectory(place)) {
            try (var files = Files.list(place)) {
                for (var file : files.sorted().toList()) {
                    found.add(mapper.readValue(Files.readAllBytes(file), type));
                }
            }
        }
        return found;
    }

    private Path path(String kind, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("This is no name of a record: " + name);
        }
        return folder.resolve(kind).resolve(name + ".json");
    }
}
