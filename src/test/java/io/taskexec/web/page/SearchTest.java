package io.taskexec.web.page;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SearchTest {
    @ParameterizedTest
    @CsvSource({
        "exec_01a20a405fd37000a622736d4ff365d1, /ui/executions/exec_01a20a405fd37000a622736d4ff365d1",
        "job_01a20a405fd37000a622736d4ff365d1, /ui/jobs/job_01a20a405fd37000a622736d4ff365d1",
        "wf_01a20a405fd37000a622736d4ff365d1, /ui/workflows/wf_01a20a405fd37000a622736d4ff365d1",
        "op_01a20a405fd37000a622736d4ff365d1, /ui/operations/op_01a20a405fd37000a622736d4ff365d1",
        "01a20a40-5fd3-7000-a622-736d4ff365d1, /ui/executions/exec_01a20a405fd37000a622736d4ff365d1",
        "01a20a405fd37000a622736d4ff365d1, /ui/executions/exec_01a20a405fd37000a622736d4ff365d1",
        "send mail&x, /ui/executions?endpoint=send%20mail%26x"
    })
    void anIdLeadsToItsPageAndAnythingElseIsAnEndpoint(String text, String path) {
        assertThat(ExecutionsPage.place(text)).isEqualTo(path);
    }
}
