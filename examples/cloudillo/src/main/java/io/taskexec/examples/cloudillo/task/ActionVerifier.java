package io.taskexec.examples.cloudillo.task;

import io.taskexec.client.Task;
import io.taskexec.client.worker.PermanentException;
import io.taskexec.client.worker.TaskContext;
import io.taskexec.examples.cloudillo.Site;
import io.taskexec.examples.cloudillo.federation.ActionToken;
import io.taskexec.examples.cloudillo.federation.Contact;
import io.taskexec.examples.cloudillo.federation.Hosts;
import io.taskexec.examples.cloudillo.federation.Verification;
import io.taskexec.examples.cloudillo.store.ActionRecord;
import io.taskexec.examples.cloudillo.store.ContentId;
import java.io.IOException;
import java.nio.file.Files;

/**
 * Verifies an action of another instance, and fetches its files.
 *
 * @param token as it came into the inbox
 */
public record ActionVerifier(String token) implements Task {
    /**
     * Says what was taken in.
     *
     * @param actionId of the action
     * @param fetched how many files were missing
     */
    public record Verified(String actionId, int fetched) {}

    /**
     * Runs the task.
     *
     * @throws PermanentException when the action is refused
     * @throws IOException when its issuer cannot be asked
     */
    public Verified run(Site site, TaskContext context) throws IOException, InterruptedException {
        var action = ActionToken.parse(token);
        var issuer = String.valueOf(action.claims().issuer());
        if (!Hosts.isIdentity(issuer)) {
            throw new PermanentException("The issuer is no identity: " + issuer, "INVALID_IDENTITY", null);
        }
        var contact = site.records().get("contacts", issuer, Contact.class);
        new Verification(site.remote(), site.identity())
                .verify(action, contact, site.clock().instant());
        var fetched = 0;
        var files = action.claims().files();
        for (var file : files) {
            if (!site.blobs().has(file)) {
                fetch(site, issuer, file);
                fetched++;
                context.progress(fetched, files.size());
            }
        }
        // It comes last: an action in the inbox is whole.
        var record = new ActionRecord(ContentId.ofToken(token), token, action.json());
        site.records().put("inbox", record.actionId(), record);
        return new Verified(record.actionId(), fetched);
    }

    private static void fetch(Site site, String issuer, String id) throws IOException, InterruptedException {
        var file = site.blobs().newFile();
        try {
            site.remote().fetch(issuer, id, file, Site.MAX_FILE_BYTES);
            if (!ContentId.ofFile(file).equals(id)) {
                throw new PermanentException("This is not the content of " + id + ".", "WRONG_CONTENT", null);
            }
            site.blobs().store(file, id);
        } finally {
            Files.deleteIfExists(file);
        }
    }
}
