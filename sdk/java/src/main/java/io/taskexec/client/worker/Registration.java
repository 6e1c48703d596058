package io.taskexec.client.worker;

import io.taskexec.client.TaskexecException;
import io.taskexec.client.api.Endpoints;
import java.lang.System.Logger.Level;
import java.util.Collection;

/** Registers the endpoints of a worker, if its key may do that. */
final class Registration {
    private static final System.Logger LOG = System.getLogger(Registration.class.getName());

    private Registration() {}

    static void register(Endpoints endpoints, Collection<TaskType<?>> types) {
        for (var type : types) {
            try {
                endpoints.ensure(type.options().endpoint(type.endpoint()));
            } catch (TaskexecException e) {
                if (!e.is("FORBIDDEN")) {
                    throw e;
                }
                LOG.log(Level.INFO, "The key may not register endpoints, so they must exist.");
                return;
            }
        }
    }
}
