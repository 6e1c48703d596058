package io.taskexec.examples.cloudillo.task;

import io.taskexec.client.Task;
import io.taskexec.client.worker.PermanentException;
import io.taskexec.examples.cloudillo.Site;
import io.taskexec.examples.cloudillo.image.Format;
import io.taskexec.examples.cloudillo.image.Variant;
import io.taskexec.examples.cloudillo.store.ContentId;
import io.taskexec.examples.cloudillo.store.VariantRecord;
import java.io.IOException;
import java.nio.file.Files;
import org.jspecify.annotations.Nullable;

/**
 * Makes a variant of an image.
 *
 * @param fileId of the image
 * @param variant its size
 * @param format null for JPEG, or PNG if the image has transparent pixels
 * @param quality 1 to 100
 */
public record ImageResizer(
        String fileId, Variant variant, @Nullable Format format, int quality) implements Task {
    /** Runs the task, which computes for a second or more. */
    public VariantRecord run(Site site) throws IOException, InterruptedException {
        if (!site.blobs().has(fileId)) {
            throw new PermanentException("There is no file " + fileId + ".", "NO_SUCH_FILE", null);
        }
        var file = site.blobs().newFile();
        try {
            var written = site.images().resize(site.blobs().path(fileId), variant, format, quality, file);
            var record = new VariantRecord(
                    variant,
                    ContentId.ofFile(file),
                    written.format().contentType(),
                    written.size().width(),
                    written.size().height(),
                    Files.size(file));
            site.blobs().store(file, record.fileId());
            site.records().put(kind(fileId), variant.code(), record);
            return record;
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** Returns the kind of the records of a file's variants. */
    public static String kind(String fileId) {
        return "variants/" + fileId;
    }
}
