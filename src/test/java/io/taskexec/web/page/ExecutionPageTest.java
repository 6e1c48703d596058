package io.taskexec.web.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.TextNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExecutionPageTest {
    @ParameterizedTest
    @CsvSource({
        "RUNNING, HTTP, true",
        "RUNNING, WORKER, true",
        "RUNNING, WORKFLOW, false",
        "READY, HTTP, false",
        "DEFERRED, APPROVAL, false",
        "SUCCESS, HTTP, false"
    })
    void onlyACallThatRunsIsAbortedByForce(String status, String type, boolean isCalling) {
        assertThat(ExecutionPage.isCalling(TextNode.valueOf(status), TextNode.valueOf(type)))
                .isEqualTo(isCalling);
    }

    @Test
    void aJobWithoutAnExecutionMakesNoCall() {
        assertThat(ExecutionPage.isCalling(MissingNode.getInstance(), TextNode.valueOf("HTTP")))
                .isFalse();
    }
}
