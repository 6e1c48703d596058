package io.taskexec.examples.cloudillo.task;

import io.taskexec.client.Task;
import io.taskexec.client.worker.PermanentException;
import io.taskexec.examples.cloudillo.Site;
import io.taskexec.examples.cloudillo.store.ContentId;
import io.taskexec.examples.cloudillo.store.FileRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.util.UUID;

/**
 * Gives an uploaded file the id of its content, and moves it into the store.
 *
 * @param upload names the file
 * @param name as the user has it
 * @param contentType as the user has said
 */
public record FileIdGenerator(UUID upload, String name, String contentType) implements Task {
    /** Runs the task. */
    public FileRecord run(Site site) throws IOException {
        var file = site.blobs().incoming(upload);
        if (!Files.exists(file)) {
            return known(site);
        }
        var record = new FileRecord(ContentId.ofFile(file), name, contentType, Files.size(file));
        // The records come first: when the file has moved, another attempt finds them.
        site.records().put("files", record.fileId(), record);
        site.records().put("uploaded", upload.toString(), record);
        site.blobs().store(file, record.fileId());
        return record;
    }

    private FileRecord known(Site site) throws IOException {
        var record = site.records().get("uploaded", upload.toString(), FileRecord.class);
        if (record == null || !site.blobs().has(record.fileId())) {
            throw new PermanentException("There is no upload " + upload + ".", "NO_SUCH_UPLOAD", null);
        }
        return record;
    }
}
