package io.taskexec.testing;

import io.taskexec.model.endpoint.Callbacks;
import io.taskexec.model.endpoint.HttpSpec;
import io.taskexec.model.endpoint.IdentitySpec;
import io.taskexec.model.endpoint.OnWorkerLost;
import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.store.endpoint.EndpointStore.Registration;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Registrations of HTTP endpoints that nothing is delivered to. */
public final class Registrations {
    private static final HttpSpec SPEC = new HttpSpec(
            "http://127.0.0.1:9/",
            "POST",
            Map.of(),
            null,
            Duration.ofSeconds(1),
            HttpSpec.DEFAULT_EXPECTED,
            IdentitySpec.NONE);

    private Registrations() {}

    public static Registration of(String name) {
        return of(name, null, "default", Set.of());
    }

    public static Registration of(String name, @Nullable String config, String queue, Set<String> secrets) {
        return new Registration(
                name,
                null,
                config,
                queue,
                SPEC,
                RetryPolicy.DEFAULT,
                Callbacks.NONE,
                OnWorkerLost.RETRY,
                false,
                null,
                null,
                secrets);
    }
}
