package io.taskexec.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.schema.CheckBudget;
import io.taskexec.schema.InputSchema;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class InputChecksTest {
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final CheckBudget NO_TIME = CheckBudget.of(CheckBudget.MOST_STEPS, Duration.ZERO);

    private final InputChecks checks = new InputChecks();

    @Test
    void whatCouldNotBeCheckedInTimeMayBeSentAgain() {
        assertRefused(NO_TIME, new CheckTime("key", 1), ErrorCode.UNAVAILABLE);
    }

    @Test
    void aMessageIsRefusedForGoodSinceItWouldHoldUpOthers() {
        assertRefused(NO_TIME, CheckTime.ofMessage(1), ErrorCode.INVALID_SCHEMA);
    }

    @Test
    void whatTakesTooManyStepsIsRefusedForGood() {
        assertRefused(CheckBudget.of(10, BOUND), new CheckTime("key", 1), ErrorCode.INVALID_SCHEMA);
    }

    private void assertRefused(CheckBudget budget, CheckTime time, ErrorCode code) {
        var schema = JsonNodeFactory.instance.objectNode();
        var names = schema.putObject("properties");
        IntStream.range(0, 100).forEach(n -> names.putObject("p" + n));

        assertThatThrownBy(() -> checks.compile(time, _ -> InputSchema.compile(schema, budget))
                        .await()
                        .atMost(BOUND))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refused -> assertThat(refused.code()).isEqualTo(code));
    }
}
