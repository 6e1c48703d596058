package io.taskexec.web.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.Json;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class ForecastPageTest {
    @Test
    void minutesAreSummedUpByHalfHours() throws Exception {
        var forecast = (ObjectNode) Json.parse("""
                {"from": "2026-11-23T10:00:00Z", "endpoints": {"items": [{"name": "a<b", "minutes": [
                  {"at": "2026-11-23T10:28:00Z", "count": 4, "scheduled": 1, "delayed": 0.5, "historical": 0},
                  {"at": "2026-11-24T10:00:00Z", "count": 9, "scheduled": 1, "delayed": 0, "historical": 0}]}]}}
                """);

        var map = ForecastPage.map(forecast);

        assertThat(map.rows().getFirst().counts()).startsWith(3.0, 3.0, 0.0).hasSize(48);
        assertThat(map.draw(ZoneOffset.UTC, text -> text.replace("<", "&lt;")))
                .contains("a&lt;b", ">10:00<", "class=\"h5\" x=\"150\"", "x=\"164\"")
                .doesNotContain("x=\"178\" y=\"16\"");
    }
}
