package io.taskexec.resolve;

import static io.taskexec.testing.Rows.json;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.model.job.Failure;
import io.taskexec.store.endpoint.PayloadSpecStore;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@StoreTest(clearJobs = false)
class InputSchemasTest {
    @Inject
    private static TestDb db;

    private static PayloadSpecStore specs;

    @BeforeAll
    static void open() {
        specs = new PayloadSpecStore(db.database());
        var _ = await(specs.create("numbers", json("{'items': {'type': 'integer'}}")));
    }

    private static JsonNode numbers() {
        var numbers = JsonNodeFactory.instance.arrayNode();
        IntStream.range(0, 100).forEach(numbers::add);
        return numbers;
    }

    @Test
    void anInputThatThereWasNoTimeToCheckIsNotCalledInvalid() {
        var schemas = new InputSchemas(specs, Duration.ZERO);

        assertThat(await(schemas.objection("numbers", numbers())))
                .isInstanceOfSatisfying(
                        JobInput.Unchecked.class,
                        unchecked -> assertThat(RefusedClaim.retryable(unchecked.failure())
                                        .policy())
                                .isEqualTo(RefusedClaim.OWN_POLICY));
    }

    @Test
    void anInputThatItsPayloadSpecForbidsIsInvalid() {
        var schemas = new InputSchemas(specs);

        assertThat(await(schemas.objection("numbers", numbers()))).isNull();
        assertThat(await(schemas.objection("numbers", json("['x']"))))
                .isEqualTo(new JobInput.Invalid(
                        Failure.Type.INPUT_VALIDATION_FAILED,
                        "The input, with the values of its templates, does not match the payload spec:"
                                + " '/0' expected type: integer, found: string"));
    }
}
