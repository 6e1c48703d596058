package io.taskexec.web.frame;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Json;
import java.time.ZoneOffset;
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
