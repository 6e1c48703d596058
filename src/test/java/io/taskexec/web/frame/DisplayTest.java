package io.taskexec.web.frame;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Json;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DisplayTest {
    private final Display show = new Display(ZoneOffset.UTC);

    @Test
    void endpointsOfOurOwnAreNamedWithoutALink() {
        assertThat(show.apply("endpoint", "_workflow")).hasToString("_workflow");
        assertThat(show.apply("endpoint", "mail")).hasToString("<a href=\"/ui/endpoints/mail\">mail</a>");
    }

    @Test
    void anEndpointOfOurOwnLeadsToItsExecutions() {
        assertThat(Display.endpointPath("_target:http://a"))
                .isEqualTo("/ui/executions?endpoint=_target%3Ahttp%3A%2F%2Fa");
        assertThat(Display.endpointPath("mail")).isEqualTo("/ui/endpoints/mail");
    }

    @Test
    void timesInASentenceAreThoseOfTheZone() {
        var sentence = "It is not due before 2026-11-28T17:01:15Z; 2026-02-30T00:00:00Z < 2026-01-01T00:00:00.5Z.";

        assertThat(new Display(ZoneId.of("Asia/Kolkata")).apply("sentence", sentence))
                .hasToString("It is not due before 2026-11-28 22:31:15;"
                        + " 2026-02-30T00:00:00Z &lt; 2026-01-01 05:30:00.");
    }

    private String difference(int count, String text) {
        var lines = Collections.nCopies(count, Map.of("kind", "added", "text", text));
        return String.valueOf(show.apply("lines", lines));
    }

    @Test
    void aLongDifferenceSaysHowManyLinesItLeavesOut() {
        assertThat(difference(2, "+ <a>")).isEqualTo("<span class=\"added\">+ &lt;a&gt;</span>\n".repeat(2));
        assertThat(difference(301, "+ a")).endsWith("+ a</span>\n… 1 more line\n");
    }

    @Test
    void aDifferenceHasTheRoomThatOtherTextsLeave() {
        assertThat(difference(300, "+ " + "‹&\"".repeat(60)).getBytes(StandardCharsets.UTF_8))
                .hasSizeLessThan(40_000);
        assertThat(difference(300, "‹&\"".repeat(10))).contains(" more lines");
    }

    @Test
    void countsThatAreLowerBoundsHaveAPlusSign() throws Exception {
        var load = Json.parse("{'ready': 10000, 'running': 3, 'name': 'mail', 'more': ['ready']}".replace('\'', '"'));

        assertThat(show.apply("counts", load)).isEqualTo(Map.of("ready", "10,000+", "running", "3"));
    }

    @Test
    void aTextIsShownAsAWholeOrNotAtAll() {
        assertThat(show.apply("whole", "a < b")).hasToString("a &lt; b");
        assertThat(show.apply("whole", "x".repeat(8_001))).isEqualTo(JsonValues.ABSENT);
    }

    @Test
    void numbersSayHowLargeTheyAre() {
        assertThat(Display.number(1_234_567)).isEqualTo("1,234,567");
        assertThat(Display.number(12.34)).isEqualTo("12.3");
        assertThat(Display.number(0.1)).isEqualTo("0.1");
        assertThat(Display.number(0.04)).isEqualTo("0.04");
        assertThat(Display.number(-0.000_26)).isEqualTo("-0.0003");
        assertThat(Display.number(0.097)).isEqualTo("0.1");
        assertThat(Display.number(0)).isEqualTo("0");
    }
}
