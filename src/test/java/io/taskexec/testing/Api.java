package io.taskexec.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.RestAssured;
import io.restassured.http.ContentType;
import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * A client of the program's API.
 *
 * @param port where it listens on this machine
 * @param key the API key that is sent
 */
public record Api(int port, String key) {
    private static final Duration DONE_BOUND = Duration.ofSeconds(30);
    private static final Set<String> FINAL =
            Set.of("SUCCESS", "FAILED", "CANCELLED", "EXPIRED", "SKIPPED", "SUPERSEDED");

    /** The address of a path. */
    public URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    /** A request with the key. */
    public RequestSpecification request() {
        return bare().header("Authorization", "Bearer " + key);
    }

    /** A request without a key. */
    public RequestSpecification bare() {
        return RestAssured.given().baseUri("http://127.0.0.1:" + port);
    }

    /** Gets a path. */
    public Response get(String path) {
        return request().get(path);
    }

    /** Posts JSON, given as text or as anything that can be written as JSON. */
    public Response post(String path, Object body) {
        return request().contentType(ContentType.JSON).body(body).post(path);
    }

    /** Puts JSON. */
    public Response put(String path, Object body) {
        return request().contentType(ContentType.JSON).body(body).put(path);
    }

    /** Sends a JSON Merge Patch. */
    public Response patch(String path, Object body) {
        return request().contentType("application/merge-patch+json").body(body).patch(path);
    }

    /** Deletes what is at a path. */
    public Response delete(String path) {
        return request().delete(path);
    }

    /** Posts something that must be created. */
    public JsonPath create(String path, Object body) {
        return expect(201, post(path, body));
    }

    /** Posts without a body what must be accepted. */
    public JsonPath act(String path) {
        return expect(200, request().post(path));
    }

    /** Puts something that must be accepted. */
    public JsonPath update(String path, Object body) {
        return expect(200, put(path, body));
    }

    /** Gets something that must be there. */
    public JsonPath read(String path) {
        return expect(200, get(path));
    }

    private static JsonPath expect(int status, Response response) {
        assertThat(response.statusCode()).as(response.asString()).isEqualTo(status);
        return response.jsonPath();
    }

    /** Creates a config. */
    public void config(String name, Map<String, ?> values) {
        var _ = create("/configs", Map.of("name", name, "values", values));
    }

    /** Creates a secret. */
    public void secret(String name, String value) {
        var _ = create("/secrets", Map.of("name", name, "value", value));
    }

    /** Registers an endpoint as {@link #posting} describes it. */
    public void endpoint(String name, URI url, Map<String, ?> retryPolicy) {
        var _ = create("/endpoints", posting(name, url, retryPolicy));
    }

    /** An endpoint that posts the {@code n} of its input to {@code url}. */
    public static Map<String, Object> posting(String name, URI url, Map<String, ?> retryPolicy) {
        var spec = Map.of("url", url.toString(), "method", "POST", "body_template", Map.of("n", "{{input.n}}"));
        return Map.of("name", name, "type", "HTTP", "spec", spec, "retry_policy", retryPolicy);
    }

    /** Creates an IMMEDIATE job and gives its execution's id. */
    public String immediate(String endpoint, String idempotencyKey) {
        return create("/jobs", immediateJob(endpoint, idempotencyKey)).getString("execution.execution_id");
    }

    /** An IMMEDIATE job whose {@code n} is its key. */
    public static Map<String, Object> immediateJob(String endpoint, String idempotencyKey) {
        return Map.of(
                "endpoint",
                endpoint,
                "trigger",
                "IMMEDIATE",
                "idempotency_key",
                idempotencyKey,
                "input",
                Map.of("n", idempotencyKey));
    }

    /** Waits until an execution has ended, and gives it. */
    public JsonPath ended(String executionId) throws InterruptedException {
        return Eventually.await(
                "execution " + executionId + " has ended",
                DONE_BOUND,
                () -> read("/executions/" + executionId),
                execution -> FINAL.contains(execution.getString("status")));
    }

    /** Waits until an execution has a status, and gives it. */
    public JsonPath awaitStatus(String executionId, String status) throws InterruptedException {
        return Eventually.await(
                executionId + " is " + status,
                DONE_BOUND,
                () -> read("/executions/" + executionId),
                execution -> execution.getString("status").equals(status));
    }

    /** The attempts of an execution. */
    public List<Map<String, Object>> attempts(String executionId) {
        return read("/executions/" + executionId + "/attempts").getList("items");
    }

    /** How the attempts of an execution ended, first to last. */
    public List<String> attemptStatuses(String executionId) {
        return read("/executions/" + executionId + "/attempts").getList("items.status");
    }

    /** The UUID in an id of the API. */
    public static UUID uuid(String id) {
        var digits = id.substring(id.indexOf('_') + 1);
        return UUID.fromString(digits.replaceFirst("(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5"));
    }
}
