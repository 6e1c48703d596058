package io.taskexec.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.model.Json;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The templates that people know from kubectl. */
class JsonPathTest {
    private static final String JOBS = """
            {"items": [
              {"job_id": "job_1", "status": "ACTIVE", "tags": ["a", "b"], "spec": {"a.b": 1.50, "on": true}},
              {"job_id": "job_2", "status": "RETIRED", "tags": [], "cron": null}
            ]}""";

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', ignoreLeadingAndTrailingWhitespace = true, textBlock = """
            {.items[*].job_id}                              | job_1 job_2
            {$.items[0].status}                             | ACTIVE
            {items[0].status}                               | ACTIVE
            .items[-1].job_id                               | job_2
            {.items[0].tags}                                | ["a","b"]
            {.items[0].tags[1]}                             | b
            {.items[0].spec.a\\.b}                          | 1.50
            {.items[0].spec['a.b']}                         | 1.50
            {.items[0]['spec']["on"]}                       | true
            {.items[*].spec.*}                              | 1.50 true
            {.items[?(@.status=="RETIRED")].job_id}         | job_2
            {.items[?(@.status != 'RETIRED')].job_id}       | job_1
            {.items[?(@.spec.on==true)].job_id}             | job_1
            first {.items[0].job_id}, last {.items[1].job_id}! | first job_1, last job_2!
            {range .items[*]}{.job_id}{"="}{.status}{";"}{end} | job_1=ACTIVE;job_2=RETIRED;
            {range .items[*]}[{range .tags[*]}<{@}>{end}]{end} | [<a><b>][]
            x{.missing}{.items[5].job_id}{.items[1].cron}y  | xy
            """)
    void aTemplatePrintsWhatItsPathsFind(String template, String printed) throws Exception {
        assertThat(JsonPath.parse(template).print(Json.parse(JOBS))).isEqualTo(printed);
    }

    @Test
    void textInQuotesKnowsLineFeedsAndTabs() throws Exception {
        assertThat(JsonPath.parse("{range .items[*]}{.job_id}{\"\\t\"}{.status}{'\\n'}{end}")
                        .print(Json.parse(JOBS)))
                .isEqualTo("job_1\tACTIVE\njob_2\tRETIRED\n");
    }

    @Test
    void coloursOfAValueDoNotPass() throws Exception {
        var printed = new StringWriter();
        var value = Json.parse("{\"output\": \"\\u001b[31mred\\u001b[0m\\r\\nnext\"}");

        TerminalWriter.ofOutput(printed).print(JsonPath.parse("{.output}").print(value));

        assertThat(printed).hasToString("\\u001b[31mred\\u001b[0m\r\nnext");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {.items[*].job_id      | '{.items[*].job_id' is not a path in braces
            {.items[*]}}{          | '{' is not a path in braces
            {job id}               | ' id' is not understood
            {.items[1:2]}          | '[1:2]' is not understood
            {..job_id}             | '..job_id' is not understood
            {}                     | there is nothing between the braces
            {range .items[*]}{.a}  | a {range} has no {end}
            {.a}{end}              | an {end} has no {range}
            """)
    void whatIsNotUnderstoodIsNamed(String template, String reason) {
        assertThatThrownBy(() -> JsonPath.parse(template))
                .isInstanceOf(MalformedTextException.class)
                .hasMessageContaining(reason);
    }
}
