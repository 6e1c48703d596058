package io.taskexec.e2e;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.taskexec.client.ApiClient;
import io.taskexec.client.ApiException;
import io.taskexec.client.api.ConfigsApi;
import io.taskexec.client.api.EndpointsApi;
import io.taskexec.client.api.ExecutionsApi;
import io.taskexec.client.api.JobsApi;
import io.taskexec.client.api.OperationsApi;
import io.taskexec.client.api.PayloadSpecsApi;
import io.taskexec.client.api.SchedulesApi;
import io.taskexec.client.api.SecretsApi;
import io.taskexec.client.model.Attempt;
import io.taskexec.client.model.AttemptStatus;
import io.taskexec.client.model.BulkRequest;
import io.taskexec.client.model.CatchUp;
import io.taskexec.client.model.CatchUpMode;
import io.taskexec.client.model.ClientCredentials;
import io.taskexec.client.model.DeliveryErrorType;
import io.taskexec.client.model.DstGap;
import io.taskexec.client.model.DstPolicy;
import io.taskexec.client.model.Endpoint;
import io.taskexec.client.model.EndpointUpdate;
import io.taskexec.client.model.ErrorCode;
import io.taskexec.client.model.ErrorResponse;
import io.taskexec.client.model.Execution;
import io.taskexec.client.model.ExecutionFilter;
import io.taskexec.client.model.ExecutionStatus;
import io.taskexec.client.model.HttpEndpoint;
import io.taskexec.client.model.HttpEndpointUpdate;
import io.taskexec.client.model.HttpMethod;
import io.taskexec.client.model.HttpSpec;
import io.taskexec.client.model.Job;
import io.taskexec.client.model.JobBatchRequest;
import io.taskexec.client.model.JobHealth;
import io.taskexec.client.model.JobPatch;
import io.taskexec.client.model.JobStatus;
import io.taskexec.client.model.JobTrigger;
import io.taskexec.client.model.JobUpdate;
import io.taskexec.client.model.KafkaEndpoint;
import io.taskexec.client.model.KafkaEndpointUpdate;
import io.taskexec.client.model.KafkaSecurity;
import io.taskexec.client.model.KafkaSpec;
import io.taskexec.client.model.NewConfig;
import io.taskexec.client.model.NewEndpoint;
import io.taskexec.client.model.NewHttpEndpoint;
import io.taskexec.client.model.NewJob;
import io.taskexec.client.model.NewKafkaEndpoint;
import io.taskexec.client.model.NewPayloadSpec;
import io.taskexec.client.model.NewRedisStreamEndpoint;
import io.taskexec.client.model.NewSecret;
import io.taskexec.client.model.OperationAction;
import io.taskexec.client.model.OverlapPolicy;
import io.taskexec.client.model.PauseRequest;
import io.taskexec.client.model.RedisStreamEndpoint;
import io.taskexec.client.model.RedisStreamEndpointUpdate;
import io.taskexec.client.model.RedisStreamSpec;
import io.taskexec.client.model.RetryPolicy;
import io.taskexec.client.model.SchedulePreviewRequest;
import io.taskexec.client.model.Signing;
import io.taskexec.client.model.TlsIdentity;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.KafkaBroker;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.RedisServer;
import io.taskexec.testing.ServerTest;
import io.taskexec.testing.TestCertificates;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Uses the Java client that a generator makes of docs/openapi.json with its default options. The build makes it, and
 * {@link GeneratedScriptsIT} does the same in other languages.
 */
@ServerTest
class GeneratedClientIT {
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final String MISSING = "job_" + "0".repeat(32);
    private static final String SIGNING_KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    @Inject
    private static Receiver receiver;

    @Inject
    private static Program program;

    private static ApiClient client;
    private static EndpointsApi endpoints;
    private static JobsApi jobs;
    private static ExecutionsApi executions;

    @BeforeAll
    static void setUp() throws ApiException {
        client = new ApiClient()
                .setScheme("http")
                .setHost("127.0.0.1")
                .setPort(program.apiPort())
                .setRequestInterceptor(request -> request.header("Authorization", "Bearer " + Program.API_KEY));
        endpoints = new EndpointsApi(client);
        jobs = new JobsApi(client);
        executions = new ExecutionsApi(client);
        receiver.answer(request ->
                request.path().endsWith("/refused") ? Answer.of(400, "not like this") : Answer.of(200, "thank you"));
        var secrets = new SecretsApi(client);
        for (var secret : Map.of("signing", SIGNING_KEY, "password", KafkaBroker.SCRAM_PASSWORD, "key", "PEM")
                .entrySet()) {
            var created =
                    secrets.createSecret(new NewSecret().name(secret.getKey()).value(secret.getValue()), null, null);
            assertThat(created.getVersion()).isEqualTo(1);
        }
        var config = new ConfigsApi(client)
                .createConfig(new NewConfig().name("limits").values(Map.of("max_len", 1000)), null, null);
        assertThat(config.getValues()).containsEntry("max_len", 1000);
        var schema = Map.<String, Object>of("type", "object");
        var spec = new PayloadSpecsApi(client)
                .createPayloadSpec(new NewPayloadSpec().name("anything").schema(schema), null, null);
        assertThat(spec.getSchema()).isEqualTo(schema);
    }

    @Test
    void anHttpEndpointIsCreatedReadReplacedAndDeleted() throws ApiException {
        var spec = http("/orders")
                .headers(Map.of("X-Team", "billing"))
                .bodyTemplate(List.of("{{input.n}}"))
                .cloudEvents(Map.of("type", "com.example.order"))
                .signing(new Signing().secrets(List.of("signing")))
                .tls(new TlsIdentity().caCertificates(TestCertificates.authority()))
                .oauth2(new ClientCredentials()
                        .tokenUrl(receiver.uri("/token").toString())
                        .clientId("me")
                        .clientSecret("{{secret.password}}")
                        .auth(ClientCredentials.AuthEnum.BODY));
        var policy = new RetryPolicy().maxAttempts(5).backoff(RetryPolicy.BackoffEnum.LINEAR);

        var created = endpoints.createEndpoint(
                new NewEndpoint(new NewHttpEndpoint()
                        .name("http")
                        .payloadSpec("anything")
                        .spec(spec)
                        .retryPolicy(policy)),
                null,
                null);
        var shown = endpoints.getEndpoint("http", null, null).getHttpEndpoint();

        assertThat(shown).isEqualTo(created.getActualInstance());
        assertThat(shown.getSpec().getUrl()).isEqualTo(spec.getUrl());
        assertThat(shown.getSpec().getExpectedStatusCodes()).containsExactly(200, 201, 202, 204);
        assertThat(requireNonNull(shown.getSpec().getOauth2()).getAuth()).isEqualTo(ClientCredentials.AuthEnum.BODY);
        assertThat(shown.getSpec().getBodyTemplate()).isEqualTo(List.of("{{input.n}}"));
        assertThat(shown.getRetryPolicy().getMaxAttempts()).isEqualTo(5);
        replaceAndDelete("http", new EndpointUpdate(new HttpEndpointUpdate().spec(shown.getSpec())));
    }

    @Test
    void aKafkaEndpointIsCreatedReadReplacedAndDeleted() throws ApiException {
        for (var security : List.of(
                new KafkaSecurity().protocol(KafkaSecurity.ProtocolEnum.PLAINTEXT),
                new KafkaSecurity()
                        .protocol(KafkaSecurity.ProtocolEnum.SSL)
                        .clientCertificate("PEM")
                        .clientKey("{{secret.key}}"),
                new KafkaSecurity()
                        .protocol(KafkaSecurity.ProtocolEnum.SASL_SSL)
                        .mechanism(KafkaSecurity.MechanismEnum.SCRAM_SHA_512)
                        .username("me")
                        .password("{{secret.password}}"))) {
            var spec = kafka("127.0.0.1:9092", "orders")
                    .acks(KafkaSpec.AcksEnum._1)
                    .security(security);

            var created = endpoints.createEndpoint(
                    new NewEndpoint(new NewKafkaEndpoint().name("kafka").spec(spec)), null, null);
            var shown = endpoints.getEndpoint("kafka", null, null).getKafkaEndpoint();

            assertThat(shown).isEqualTo(created.getActualInstance());
            assertThat(shown.getSpec().getSecurity()).isEqualTo(security);
            assertThat(shown.getSpec().getAcks()).isEqualTo(KafkaSpec.AcksEnum._1);
            replaceAndDelete("kafka", new EndpointUpdate(new KafkaEndpointUpdate().spec(shown.getSpec())));
        }
    }

    @Test
    void aRedisEndpointIsCreatedReadReplacedAndDeleted() throws ApiException {
        var spec = redis("rediss://:{{secret.password}}@127.0.0.1:6379/0").maxLen("{{config.max_len}}");

        var created = endpoints.createEndpoint(
                new NewEndpoint(new NewRedisStreamEndpoint()
                        .name("redis")
                        .config("limits")
                        .spec(spec)),
                null,
                null);
        var shown = endpoints.getEndpoint("redis", null, null).getRedisStreamEndpoint();

        assertThat(shown).isEqualTo(created.getActualInstance());
        assertThat(shown.getSpec().getMaxLen()).isEqualTo("{{config.max_len}}");
        assertThat(shown.getSpec().getFieldsTemplate()).isEqualTo(Map.of("n", "{{input.n}}"));
        assertThat(shown.getQueue()).isEqualTo("default");
        replaceAndDelete(
                "redis",
                new EndpointUpdate(
                        new RedisStreamEndpointUpdate().config("limits").spec(shown.getSpec())));
    }

    private static void replaceAndDelete(String name, EndpointUpdate update) throws ApiException {
        var shown = endpoints.getEndpoint(name, null, null);
        var replaced = endpoints.updateEndpoint(name, update, null, "*", null);
        assertThat(version(replaced)).isEqualTo(version(shown) + 1);
        assertThat(endpoints.listEndpoints(null, 200, null).getItems()).contains(replaced);
        endpoints.deleteEndpoint(name, null, null, null);
        var failure = catchThrowableOfType(ApiException.class, () -> endpoints.getEndpoint(name, null, null));
        assertThat(failure.getCode()).isEqualTo(404);
    }

    private static int version(Endpoint endpoint) {
        return switch (endpoint.getActualInstance()) {
            case HttpEndpoint http -> http.getVersion();
            case KafkaEndpoint kafka -> kafka.getVersion();
            case RedisStreamEndpoint redis -> redis.getVersion();
            default -> throw new AssertionError(endpoint);
        };
    }

    @Test
    void aDeliveryOfEachTypeHasATypedOutput() throws ApiException, InterruptedException {
        var broker = KafkaBroker.shared();
        try (var server = RedisServer.start()) {
            register("to-http", http("/thanks"));
            register("to-kafka", kafka(broker.bootstrap(), broker.topic("generated", 1, Map.of())));
            register("to-redis", redis(server.url()));

            var http = ended(immediate("to-http"));
            var kafka = ended(immediate("to-kafka"));
            var redis = ended(immediate("to-redis"));

            assertThat(List.of(http, kafka, redis))
                    .extracting(Execution::getStatus)
                    .containsOnly(ExecutionStatus.SUCCESS);
            assertThat(requireNonNull(http.getOutput()).getStatusCode()).isEqualTo(200);
            assertThat(requireNonNull(http.getOutput()).getBody()).isEqualTo("thank you");
            assertThat(requireNonNull(kafka.getOutput()).getPartition()).isZero();
            assertThat(requireNonNull(kafka.getOutput()).getOffset()).isZero();
            assertThat(requireNonNull(redis.getOutput()).getStream()).isEqualTo("orders");
            assertThat(requireNonNull(redis.getOutput()).getMessageId()).contains("-");
            assertThat(http.getCompletedAt()).isAfterOrEqualTo(http.getStartedAt());
        }
    }

    @Test
    void aFailedExecutionAndItsAttemptsHaveATypedError() throws ApiException, InterruptedException {
        register("to-refuse", http("/refused"));

        var execution = ended(immediate("to-refuse"));

        assertThat(execution.getStatus()).isEqualTo(ExecutionStatus.FAILED);
        assertThat(requireNonNull(execution.getError()).getType()).isEqualTo(DeliveryErrorType.HTTP_ERROR);
        assertThat(requireNonNull(execution.getError()).getStatusCode()).isEqualTo(400);
        assertThat(requireNonNull(execution.getError()).getBody()).isEqualTo("not like this");
        assertThat(executions
                        .listAttempts(execution.getExecutionId(), null, null, null)
                        .getItems())
                .singleElement()
                .returns(AttemptStatus.FAILED, Attempt::getStatus)
                .returns(execution.getError(), Attempt::getError);
        var failed = executions.listExecutions(
                null,
                OffsetDateTime.now(ZoneOffset.ofHours(5)).minusHours(1),
                null,
                "to-refuse",
                DeliveryErrorType.HTTP_ERROR,
                10,
                null,
                false,
                ExecutionStatus.FAILED,
                null,
                null);
        assertThat(failed.getItems()).containsExactly(execution);
        assertThat(failed.getCursor()).isNull();
        retryAll("to-refuse");
    }

    private static void retryAll(String endpoint) throws ApiException {
        var request = new BulkRequest()
                .action(OperationAction.RETRY)
                .filter(new ExecutionFilter().endpoint(endpoint).errorType(DeliveryErrorType.HTTP_ERROR));

        var preview = executions.changeExecutions(request.dryRun(true), null).getBulkPreview();
        var operation = executions.changeExecutions(request.dryRun(false), null).getOperation();

        assertThat(preview.getCount()).isEqualTo(1);
        assertThat(operation.getFilter().getErrorType()).isEqualTo(DeliveryErrorType.HTTP_ERROR);
        assertThat(new OperationsApi(client)
                        .getOperation(operation.getOperationId(), null)
                        .getAction())
                .isEqualTo(OperationAction.RETRY);
    }

    @Test
    void aJobOfEachKindIsCreatedReadAndCancelled() throws ApiException {
        register("to-wait", http("/waited"));
        var at = OffsetDateTime.now(ZoneOffset.UTC).plusDays(1).withNano(0);
        var kinds = Map.of(
                JobTrigger.DELAYED,
                new NewJob().endpoint("to-wait").idempotencyKey("at").runAt(at),
                JobTrigger.CRON,
                new NewJob()
                        .endpoint("to-wait")
                        .cron("30 2 * * *")
                        .timezone("Europe/Berlin")
                        .dst(new DstPolicy().gap(DstGap.SKIP))
                        .catchUp(new CatchUp().mode(CatchUpMode.LATEST))
                        .tags(List.of("nightly"))
                        .endsAt(at.plusYears(1)),
                JobTrigger.INTERVAL,
                new NewJob()
                        .endpoint("to-wait")
                        .every("PT1H")
                        .overlap(OverlapPolicy.SKIP)
                        .jitter("PT30S")
                        .maxFires(3));
        for (var kind : kinds.entrySet()) {
            var created = create(kind.getValue());
            assertThat(created.getTrigger()).isEqualTo(kind.getKey());
            assertThat(jobs.getJob(created.getJobId(), null)).isEqualTo(created);
            assertThat(jobs.cancelJob(created.getJobId(), null, null).getStatus())
                    .isEqualTo(JobStatus.RETIRED);
        }
        var delayed = new NewJob().endpoint("to-wait").delay("PT1H");
        assertThat(jobs.createJob(delayed, null, null, "in-the-header", null, null, null)
                        .getIdempotencyKey())
                .isEqualTo("in-the-header");
        var batch = new JobBatchRequest().jobs(List.of(delayed.idempotencyKey("one-of-many")));
        assertThat(jobs.createJobs(batch, null, null, null).getItems())
                .singleElement()
                .returns(201, item -> item.getStatus());
        assertThat(jobs.listJobs(null, null, null, "to-wait", null, null, null, null, JobTrigger.CRON, null)
                        .getItems())
                .extracting(Job::getTimezone)
                .containsExactly("Europe/Berlin");
    }

    @Test
    void aScheduleIsReplacedPausedAndResumed() throws ApiException {
        register("to-repeat", http("/repeated"));
        var first = create(new NewJob().endpoint("to-repeat").cron("0 9 * * *").timezone("UTC"));

        var second = jobs.updateJob(
                first.getJobId(), new JobUpdate().cron("0 10 * * *").timezone("UTC"), null, null, null, null);
        var paused = jobs.pauseJob(second.getJobId(), null, new PauseRequest().reason("holidays"));
        var status = jobs.getJobStatus(second.getJobId(), null);

        assertThat(second.getPreviousVersionId()).isEqualTo(first.getJobId());
        assertThat(requireNonNull(paused.getPause()).getReason()).isEqualTo("holidays");
        assertThat(jobs.resumeJob(second.getJobId(), null).getPause()).isNull();
        assertThat(status.getHealth()).isEqualTo(JobHealth.IDLE);
        assertThat(status.getStats().getLast24h().getTotal()).isZero();
        var preview = new SchedulesApi(client)
                .previewSchedule(
                        new SchedulePreviewRequest()
                                .cron("0 9 * * MON")
                                .timezone("UTC")
                                .count(3),
                        null);
        assertThat(preview.getItems()).hasSize(3);
    }

    @Test
    void onePatchedFieldOfAScheduleLeavesTheOthers() throws ApiException {
        register("to-patch", http("/patched"));
        for (var input : List.of(Map.of("n", 1), List.of("a", 2), "text")) {
            var first = create(new NewJob()
                    .endpoint("to-patch")
                    .every("PT1H")
                    .tags(List.of("kept"))
                    .input(input));

            var second = jobs.patchJob(first.getJobId(), new JobPatch().every("PT2H"), null, null, null, null, null);

            assertThat(second.getEvery()).isEqualTo("PT2H");
            assertThat(second.getVersion()).isEqualTo(2);
            assertThat(second.getTags()).containsExactly("kept");
            assertThat(second.getInput()).isEqualTo(input);
            var patch = new JobPatch().input(Map.of("m", 2)).tags(null);
            var third = jobs.patchJob(second.getJobId(), patch, null, null, null, null, null);
            assertThat(third.getEvery()).isEqualTo("PT2H");
            assertThat(third.getTags()).isEmpty();
            assertThat(third.getInput()).isEqualTo(input instanceof Map ? Map.of("n", 1, "m", 2) : Map.of("m", 2));
        }
    }

    @Test
    void aMissingJobIsAnErrorOfTheDocumentedType() throws JsonProcessingException {
        var failure = catchThrowableOfType(ApiException.class, () -> jobs.getJob(MISSING, "asked-for-it"));

        assertThat(failure.getCode()).isEqualTo(404);
        var error = client.getObjectMapper()
                .readValue(failure.getResponseBody(), ErrorResponse.class)
                .getError();
        assertThat(error.getCode()).isEqualTo(ErrorCode.JOB_NOT_FOUND);
        assertThat(error.getRequestId()).isEqualTo("asked-for-it");
    }

    private static HttpSpec http(String path) {
        return new HttpSpec().url(receiver.uri(path).toString()).method(HttpMethod.POST);
    }

    private static KafkaSpec kafka(String bootstrapServers, String topic) {
        return new KafkaSpec()
                .bootstrapServers(bootstrapServers)
                .topic(topic)
                .valueTemplate(Map.of("n", "{{input.n}}"));
    }

    private static RedisStreamSpec redis(String url) {
        return new RedisStreamSpec().redisUrl(url).stream("orders").fieldsTemplate(Map.of("n", "{{input.n}}"));
    }

    private static void register(String name, Object spec) throws ApiException {
        var endpoint = switch (spec) {
            case HttpSpec http ->
                new NewEndpoint(new NewHttpEndpoint().name(name).spec(http));
            case KafkaSpec kafka ->
                new NewEndpoint(new NewKafkaEndpoint().name(name).spec(kafka));
            case RedisStreamSpec redis ->
                new NewEndpoint(new NewRedisStreamEndpoint().name(name).spec(redis));
            default -> throw new AssertionError(spec);
        };
        var created = endpoints.createEndpoint(endpoint, null, null);
        assertThat(version(created)).isEqualTo(1);
    }

    private static Job immediate(String endpoint) throws ApiException {
        return create(new NewJob().endpoint(endpoint).idempotencyKey("once").input(Map.of("n", 1)));
    }

    private static Job create(NewJob job) throws ApiException {
        return jobs.createJob(job, null, null, null, null, null, null);
    }

    private static Execution ended(Job job) throws InterruptedException {
        return Eventually.await(
                "the job has run",
                BOUND,
                () -> execution(requireNonNull(job.getExecution()).getExecutionId()),
                execution -> execution.getCompletedAt() != null);
    }

    private static Execution execution(String id) {
        try {
            return executions.getExecution(id, null, null);
        } catch (ApiException e) {
            throw new AssertionError(e);
        }
    }
}
