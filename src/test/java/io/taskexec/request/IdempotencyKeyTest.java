package io.taskexec.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.taskexec.model.job.JobFields;
import io.taskexec.testing.Rows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdempotencyKeyTest {
    @ParameterizedTest
    @ValueSource(strings = {"{}", "{'idempotency_key': null}", "{'idempotency_key': ''}", "{'idempotency_key': 1}"})
    void aKeyThatIsMissingOrMalformedIsReportedOnce(String body) {
        var fields = Fields.of(Rows.json(body), "", JobFields.NEW_JOB);

        assertThat(IdempotencyKey.required(fields, null)).isEmpty();

        var refusal = catchThrowableOfType(ApiException.class, fields::check);
        assertThat(refusal.details()).extracting(ApiException.Detail::pointer).containsExactly("/idempotency_key");
    }

    @Test
    void aHeaderThatIsNotAsciiIsRefusedSinceItsEncodingIsUnknown() {
        var fields = Fields.of(Rows.json("{}"), "", JobFields.NEW_JOB);

        var _ = IdempotencyKey.required(fields, "caf\u00c3\u00a9");

        var refusal = catchThrowableOfType(ApiException.class, fields::check);
        assertThat(refusal.details())
                .extracting(ApiException.Detail::message)
                .containsExactly("must be ASCII as a header; the field of the body takes all text");
    }
}
