package io.taskexec.examples.cloudillo.task;

import io.taskexec.client.Task;
import io.taskexec.client.worker.PermanentException;
import io.taskexec.examples.cloudillo.Site;
import io.taskexec.examples.cloudillo.store.ActionRecord;
import java.io.IOException;

/**
 * Delivers an action to the inbox of an identity.
 *
 * @param actionId of the action
 * @param recipient the identity
 */
public record ActionDelivery(String actionId, String recipient) implements Task {
    /**
     * Runs the task.
     *
     * @throws PermanentException when the recipient refuses the action
     * @throws IOException when it cannot be reached, or has failed
     */
    public void run(Site site) throws IOException, InterruptedException {
        var action = site.records().get("actions", actionId, ActionRecord.class);
        if (action == null) {
            throw new PermanentException("There is no action " + actionId + ".", "NO_SUCH_ACTION", null);
        }
        site.remote().deliver(recipient, action.token());
    }
}
