package io.taskexec.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.Json;
import io.taskexec.request.ApiException;
import io.taskexec.testing.Rows;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeaseRequestTest {
    private static byte[] json(String text) {
        return text.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void whatIsLeftOutHasADefault() {
        var request = LeaseRequest.read(json("{'worker': 'w', 'endpoints': ['a', 'b']}"));

        assertThat(request)
                .isEqualTo(new LeaseRequest("w", List.of("a", "b"), 1, Duration.ZERO, Duration.ofMinutes(1), 7, false));
        assertThat(request.workerId())
                .isEqualTo(new LeaseRequest("w", List.of(), 1, Duration.ZERO, Duration.ZERO, 7, false).workerId());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'max': 0 | /max",
                "'max': 501 | /max",
                "'max': '1' | /max",
                "'lease': 'PT4.999S' | /lease",
                "'lease': 'PT1H0.001S' | /lease",
                "'lease': 60 | /lease",
                "'wait': 'PT60.001S' | /wait",
                "'wait': '-PT1S' | /wait",
                "'least_urgent': -1 | /least_urgent",
                "'least_urgent': 8 | /least_urgent",
                "'least_urgent': 1.5 | /least_urgent",
                "'least_urgent': '3' | /least_urgent",
                "'endpoints': [] | /endpoints",
                "'endpoints': ['a', 'a'] | /endpoints",
                "'endpoints': ['A'] | /endpoints",
                "'endpoints': 'a' | /endpoints",
                "'worker': '' | /worker",
                "'worker': null | /worker",
                "'other': 1 | /other"
            })
    void badInputIsRefusedWithItsPlace(String field, String pointer) {
        var body = (ObjectNode) Rows.json("{'worker': 'w', 'endpoints': ['a']}");
        body.setAll((ObjectNode) Rows.json("{" + field + "}"));

        var refusal = catchThrowableOfType(ApiException.class, () -> LeaseRequest.read(json(Json.write(body))));

        assertThat(refusal.details()).extracting(ApiException.Detail::pointer).containsExactly(pointer);
    }

    @Test
    void aRequestAboutLeasesHasOneTo500Items() {
        var none = catchThrowableOfType(ApiException.class, () -> LeaseItem.releases(json("{'leases': []}")));
        var item = "{'lease': 'x'}";
        var many = "{'leases': [%s%s]}".formatted((item + ",").repeat(500), item);

        assertThat(none.details()).extracting(ApiException.Detail::pointer).containsExactly("/leases");
        assertThat(catchThrowableOfType(ApiException.class, () -> LeaseItem.releases(json(many))))
                .isNotNull();
        assertThat(LeaseItem.releases(json("{'leases': [%s]}".formatted(item)))).hasSize(1);
    }

    @Test
    void aWrongItemIsToldByItsPlace() {
        var body = json("{'leases': [{'lease': 'x', 'error': {'message': 'm'}}, {'lease': 'y', 'error': {}}]}");

        var refusal = catchThrowableOfType(ApiException.class, () -> LeaseItem.failures(body));

        assertThat(refusal.details())
                .extracting(ApiException.Detail::pointer)
                .containsExactly("/leases/1/error/message");
    }
}
