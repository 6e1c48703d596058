package io.taskexec.api.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MediaRangeTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "none", textBlock = """
            none                                                            | false
            */*                                                             | false
            application/json                                                | false
            text/html                                                       | true
            TEXT/HTML;charset=utf-8                                         | true
            text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8 | true
            text/html;q=0, */*                                              | false
            application/json, text/html;q=0.5                               | false
            application/json;q=0.5, text/html                               | true
            text/html;q=x                                                   | false
            ;q=;,,text                                                      | false
            """)
    void htmlIsForWhoNamesIt(String accept, boolean prefersHtml) {
        assertThat(MediaRange.prefersHtml(accept)).isEqualTo(prefersHtml);
    }
}
