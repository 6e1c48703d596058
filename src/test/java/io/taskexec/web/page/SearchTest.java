package io.taskexec.web.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.PublicId;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SearchTest {
    private static final String DIGITS = "01a20a405fd37000a622736d4ff365d1";

    @ParameterizedTest
    @CsvSource({
        "exec_, /ui/executions/exec_",
        "job_, /ui/jobs/job_",
        "wf_, /ui/workflows/wf_",
        "op_, /ui/operations/op_"
    })
    void anIdLeadsToItsPage(String prefix, String path) {
        assertThat(SearchPage.place(prefix + DIGITS)).isEqualTo(path + DIGITS);
    }

    @Test
    void anEntryOfTheAuditLogIsTheFirstOneOfTheListThatItLeadsTo() {
        var cursor = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString("01a20a40-5fd3-7000-a622-736d4ff365d2".getBytes(StandardCharsets.UTF_8));

        assertThat(IdSearch.listFrom(Objects.requireNonNull(PublicId.AUDIT.parse("audit_" + DIGITS))))
                .isEqualTo("/ui/audit?cursor=" + cursor);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "send mail&x",
                DIGITS,
                "worker_" + DIGITS,
                "event_" + DIGITS,
                "audit_" + DIGITS,
                "key_" + DIGITS,
                "exec_1"
            })
    void whatHasNoPageOfItsOwnIsLookedUp(String text) {
        assertThat(SearchPage.place(text)).isNull();
    }
}
