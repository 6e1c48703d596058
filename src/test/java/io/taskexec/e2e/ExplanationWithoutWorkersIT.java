package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** An explanation where no process has the worker role. */
@ServerTest(roles = "api")
class ExplanationWithoutWorkersIT {
    @Inject
    private static Api api;

    @Test
    void noWorkerIsNamedAsTheReason() {
        api.endpoint("idle", URI.create("http://127.0.0.1:9/"), Map.of());

        var found = api.read("/executions/" + api.immediate("idle", "one") + "/explain");

        assertThat(found.getString("reason")).isEqualTo("no_worker");
        assertThat(found.getString("reasons[0].region")).isEqualTo("default");
    }
}
