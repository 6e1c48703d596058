package io.taskexec.examples.cloudillo.task;

import io.taskexec.client.Task;
import io.taskexec.client.worker.PermanentException;
import io.taskexec.examples.cloudillo.Site;
import io.taskexec.examples.cloudillo.federation.ActionToken;
import io.taskexec.examples.cloudillo.federation.Claims;
import io.taskexec.examples.cloudillo.store.ActionRecord;
import io.taskexec.examples.cloudillo.store.ContentId;
import io.taskexec.examples.cloudillo.store.FileRecord;
import io.taskexec.examples.cloudillo.store.VariantRecord;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Signs an action. It runs when all uploads of the draft have their ids and variants.
 *
 * @param draft names a record: tasks are small
 */
public record ActionCreator(UUID draft) implements Task {
    /**
     * The result, for tasks that wait for this one.
     *
     * @param actionId of the action
     */
    public record Created(String actionId) {}

    /** Runs the task. */
    public Created run(Site site) throws IOException, GeneralSecurityException {
        // Signatures are random, so another attempt would make another action.
        var record = site.records().get("created", draft.toString(), ActionRecord.class);
        if (record == null) {
            record = sign(site);
            site.records().put("created", draft.toString(), record);
        }
        site.records().put("actions", record.actionId(), record);
        return new Created(record.actionId());
    }

    private ActionRecord sign(Site site) throws IOException, GeneralSecurityException {
        var found = site.records().get("drafts", draft.toString(), Draft.class);
        if (found == null) {
            throw new PermanentException("There is no draft " + draft + ".", "NO_SUCH_DRAFT", null);
        }
        var token = ActionToken.sign(claims(site, found), site.key());
        return new ActionRecord(
                ContentId.ofToken(token), token, ActionToken.parse(token).json());
    }

    private static Claims claims(Site site, Draft draft) throws IOException {
        var files = files(site, draft);
        var now = site.clock().instant().getEpochSecond();
        return new Claims(
                site.identity(),
                draft.audience(),
                now,
                draft.expiresIn() == null ? null : now + draft.expiresIn().toSeconds(),
                draft.type(),
                draft.content(),
                draft.parent(),
                files.isEmpty() ? null : files,
                variants(site, files));
    }

    private static List<String> files(Site site, Draft draft) throws IOException {
        var files = new ArrayList<>(draft.attachments());
        for (var upload : draft.uploads()) {
            var record = site.records().get("uploaded", upload.toString(), FileRecord.class);
            if (record == null) {
                throw new PermanentException("There is no upload " + upload + ".", "NO_SUCH_UPLOAD", null);
            }
            files.add(record.fileId());
        }
        for (var file : files) {
            if (!site.blobs().has(file)) {
                throw new PermanentException("There is no file " + file + ".", "NO_SUCH_FILE", null);
            }
        }
        return files;
    }

    private static Map<String, Map<String, String>> variants(Site site, List<String> files) throws IOException {
        var all = new LinkedHashMap<String, Map<String, String>>();
        for (var file : files) {
            var variants = new TreeMap<String, String>();
            for (var record : site.records().all(ImageResizer.kind(file), VariantRecord.class)) {
                variants.put(record.variant().code(), record.fileId());
            }
            if (!variants.isEmpty()) {
                all.put(file, variants);
            }
        }
        return all;
    }
}
