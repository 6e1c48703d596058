package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.Examples;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Endpoints that are no HTTP endpoints. */
@ServerTest
class EndpointTypesIT {
    @Inject
    private static Api api;

    @ParameterizedTest
    @CsvSource({"KAFKA, order-events.yaml, topic", "REDIS_STREAM, notifications.yaml, stream"})
    void anExampleIsRegisteredShownUpdatedListedAndDeleted(String type, String file, String changed)
            throws IOException {
        var _ = api.create("/payload-specs", Examples.body(file, "PayloadSpec"));
        var _ = api.create("/configs", Examples.body(file, "Config"));
        var endpoint = Examples.body(file, "Endpoint");

        var created = api.create("/endpoints", endpoint);

        var path = "/endpoints/" + created.getString("name");
        assertThat(created.getString("type")).isEqualTo(type);
        assertThat(created.getInt("version")).isEqualTo(1);
        assertThat(created.getMap("spec")).containsKey("timeout_ms");
        assertThat(api.read(path).getMap("$")).isEqualTo(created.getMap("$"));
        var updated = api.update(
                path, endpoint.replaceFirst("\"" + changed + "\":\"[^\"]+\"", "\"" + changed + "\":\"other\""));
        assertThat(updated.getInt("version")).isEqualTo(2);
        assertThat(updated.getString("spec." + changed)).isEqualTo("other");
        assertThat(api.read("/endpoints").<String>getList("items.name")).contains(created.getString("name"));
        assertThat(api.delete(path).statusCode()).isEqualTo(204);
    }

    @Test
    void aTargetThatMayNeverBeCalledIsRefused() {
        refuse(
                "KAFKA",
                Map.of("bootstrap_servers", "10.0.0.1:9092,169.254.169.254:9092", "topic", "t"),
                "/spec/bootstrap_servers");
        refuse(
                "REDIS_STREAM",
                Map.of("redis_url", "redis://169.254.169.254", "stream", "s", "fields_template", Map.of("a", "b")),
                "/spec/redis_url");
    }

    private static void refuse(String type, Map<String, ?> spec, String pointer) {
        var response = api.post("/endpoints", Map.of("name", "never", "type", type, "spec", spec));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.<List<String>>path("error.details.pointer")).containsExactly(pointer);
        assertThat(response.<String>path("error.message")).contains("is not allowed");
    }

    @Test
    void aSecretThatAnEndpointNamesCannotBeDeleted() {
        api.secret("redis_password", "correct horse");
        var spec = Map.of(
                "redis_url",
                "redis://:{{secret.redis_password}}@r",
                "stream",
                "s",
                "fields_template",
                Map.of("a", "b"));
        var _ = api.create("/endpoints", Map.of("name", "with-secret", "type", "REDIS_STREAM", "spec", spec));

        assertThat(api.delete("/secrets/redis_password").statusCode()).isEqualTo(409);
    }
}
