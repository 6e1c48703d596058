package io.taskexec.api.auth;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Caller;
import io.taskexec.model.Json;
import io.taskexec.model.TraceContext;
import io.taskexec.observe.log.LogFields;
import io.taskexec.store.auth.AuditStore;
import io.taskexec.store.auth.AuditStore.Write;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Records writes that have been made. One that cannot be recorded is logged, since it has been made all the same. */
@Singleton
public final class AuditLog {
    private static final Logger LOG = Logger.getLogger(AuditLog.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final AuditStore store;

    AuditLog(AuditStore store) {
        this.store = store;
    }

    /** Records a write. The result never fails. */
    public Uni<Void> record(Write write, @Nullable TraceContext trace) {
        return store.record(write)
                .ifNoItem()
                .after(PATIENCE)
                .fail()
                .onFailure()
                .invoke(failure -> LogFields.ofRequest(write.requestId(), trace)
                        .log(() -> LOG.errorf(failure, "not in the audit log: %s", write)))
                .onFailure()
                .recoverWithNull();
    }

    /** The details of a write: the key that made it. */
    public static @Nullable String details(Caller caller) {
        var keyId = caller.keyId();
        return keyId == null
                ? null
                : Json.write(JsonNodeFactory.instance.objectNode().put("key_id", keyId));
    }
}
