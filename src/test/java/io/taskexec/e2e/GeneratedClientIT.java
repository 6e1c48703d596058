package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import io.taskexec.client.ApiClient;
import io.taskexec.client.ApiException;
import io.taskexec.client.api.EndpointsApi;
import io.taskexec.client.api.ExecutionsApi;
import io.taskexec.client.api.JobsApi;
import io.taskexec.client.model.EndpointSpec;
import io.taskexec.client.model.EndpointType;
import io.taskexec.client.model.Error;
import io.taskexec.client.model.Execution;
import io.taskexec.client.model.ExecutionStatus;
import io.taskexec.client.model.HttpMethod;
import io.taskexec.client.model.HttpSpec;
import io.taskexec.client.model.JobStatus;
import io.taskexec.client.model.JobTrigger;
import io.taskexec.client.model.NewEndpoint;
import io.taskexec.client.model.NewJob;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What somebody has who made a client of docs/openapi.json with a generator. The build makes this one. */
class GeneratedClientIT {
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final String MISSING = "job_" + "0".repeat(32);

    private static final Receiver receiver = new Receiver();
    private static final Program program =
            Program.serving(ServerDb.fresh(GeneratedClientIT.class)).start();
    // A field that the document does not know is a fault of the document. This is also how the client, which the
    // generator
    // lets try all of them, tells the specs of endpoints apart.
    private static final ApiClient client = new ApiClient()
            .setObjectMapper(
                    ApiClient.createDefaultObjectMapper().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES))
            .setScheme("http")
            .setHost("127.0.0.1")
            .setPort(program.apiPort())
            .setRequestInterceptor(request -> request.header("Authorization", "Bearer " + Program.API_KEY));
    private static final JobsApi jobs = new JobsApi(client);

    @BeforeAll
    static void setUp() throws InterruptedException {
        program.awaitReady();
    }

    @AfterAll
    static void stop() {
        program.close();
        receiver.close();
    }

    @Test
    void aGeneratedClientRegistersAnEndpointAndRunsAJob() throws ApiException, InterruptedException {
        var spec = new HttpSpec()
                .url(receiver.uri("/generated").toString())
                .method(HttpMethod.POST)
                .bodyTemplate(Map.of("n", "{{input.n}}"));
        var endpoint = new EndpointsApi(client)
                .createEndpoint(
                        new NewEndpoint()
                                .name("generated")
                                .type(EndpointType.HTTP)
                                .spec(new EndpointSpec(spec)),
                        null);
        assertThat(endpoint.getSpec().getActualInstance()).isInstanceOf(HttpSpec.class);

        var created = jobs.createJob(
                new NewJob()
                        .endpoint("generated")
                        .trigger(JobTrigger.IMMEDIATE)
                        .idempotencyKey("once")
                        .input(Map.of("n", 1)),
                null,
                null,
                null,
                null);
        var ended = Eventually.await(
                "the job has run",
                BOUND,
                () -> execution(created.getJobId().replace("job_", "exec_")),
                execution -> execution.getStatus() == ExecutionStatus.SUCCESS);

        assertThat(ended.getJobId()).isEqualTo(created.getJobId());
        assertThat(ended.getCompletedAt()).isAfterOrEqualTo(ended.getStartedAt());
        assertThat(jobs.getJob(created.getJobId(), null).getStatus()).isEqualTo(JobStatus.RETIRED);
        assertThat(jobs.listJobs(null, null, null, null, null, null, null, null, null, null)
                        .getItems())
                .extracting(job -> job.getJobId())
                .containsExactly(created.getJobId());
        assertThat(receiver.requests()).extracting(request -> request.body()).containsExactly("{\"n\":1}");
    }

    private static Execution execution(String id) {
        try {
            return new ExecutionsApi(client).getExecution(id, null);
        } catch (ApiException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aMissingJobIsAnErrorOfTheDocumentedType() throws JsonProcessingException {
        var failure = catchThrowableOfType(ApiException.class, () -> jobs.getJob(MISSING, "asked-for-it"));

        assertThat(failure.getCode()).isEqualTo(404);
        var error = client.getObjectMapper()
                .readValue(failure.getResponseBody(), Error.class)
                .getError();
        assertThat(error.getCode().getValue()).isEqualTo("JOB_NOT_FOUND");
        assertThat(error.getRequestId()).isEqualTo("asked-for-it");
    }
}
