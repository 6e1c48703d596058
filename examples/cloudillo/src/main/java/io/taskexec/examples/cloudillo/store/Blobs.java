package io.taskexec.examples.cloudillo.store;

import io.taskexec.client.worker.PermanentException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** The contents of files by their ids. Whatever is stored twice is there once. */
public final class Blobs {
    private static final int BUFFER = 65_536;

    private final Path blobs;
    private final Path incoming;

    /**
     * Opens the store.
     *
     * @param folder is created
     */
    public Blobs(Path folder) throws IOException {
        blobs = Files.createDirectories(folder.resolve("blobs"));
        incoming = Files.createDirectories(folder.resolve("incoming"));
    }

    /** Returns where a file lies that was uploaded and has no id yet. */
    public Path incoming(UUID upload) {
        return incoming.resolve(upload.toString());
    }

    /** Makes an empty file, for the store or to be deleted. */
    public Path newFile() throws IOException {
        return Files.createFile(incoming(UUID.randomUUID()));
    }

    /**
     * Copies a stream to a file that exists.
     *
     * @throws PermanentException when there are more bytes than are allowed
     */
    public static void copy(InputStream in, Path file, long maxBytes) throws IOException {
        try (var out = Files.newOutputStream(file)) {
            var buffer = new byte[BUFFER];
            long size = 0;
            for (var read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                size += read;
                if (size > maxBytes) {
                    throw new PermanentException(
                            "The file has more than %d bytes.".formatted(maxBytes), "FILE_TOO_LARGE", null);
                }
                out.write(buffer, 0, read);
            }
        }
    }

    /** Takes a file into the store, under the id of its content. */
    public void store(Path file, String id) throws IOException {
        DurableFiles.move(file, path(id));
    }

    /** Tells whether the content is here. */
    public boolean has(String id) {
        return Files.isRegularFile(path(id));
    }

    /**
     * Returns where the content is, or would be.
     *
     * @throws PermanentException when this is no id
     */
    public Path path(String id) {
        if (!ContentId.isFileId(id)) {
            throw new PermanentException("This is no id of a file: " + id, "INVALID_FILE_ID", null);
        }
        // The first two characters of the hash make 4,096 folders at most.
        return blobs.resolve(id.substring(3, 5)).resolve(id);
    }
}
