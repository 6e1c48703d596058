package io.taskexec.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressBarTest {
    private final StringWriter printed = new StringWriter();

    @Test
    void theBarIsAsLongAsWhatIsDone() {
        assertThat(ProgressBar.line("jobs", 50, 100, "5 jobs"))
                .isEqualTo("jobs [" + "#".repeat(15) + ".".repeat(15) + "]  50% 5 jobs");
        assertThat(ProgressBar.line("jobs", 200, 100, "")).contains("100%");
        assertThat(ProgressBar.line("jobs", 7, 0, "7 jobs")).isEqualTo("jobs 7 jobs");
    }

    @Test
    void nothingIsDrawnWhereNobodyLooks() {
        try (var progress = new ProgressBar(new PrintWriter(printed), false, "jobs", 10)) {
            progress.update(5, "");
        }

        assertThat(printed.toString()).isEmpty();
    }

    @Test
    void theLineIsTakenAwayAtTheEnd() {
        try (var progress = new ProgressBar(new PrintWriter(printed), true, "jobs", 10)) {
            progress.update(5, "");
        }

        assertThat(printed.toString()).startsWith("\r\u001b[Kjobs [").endsWith("\r\u001b[K");
    }
}
