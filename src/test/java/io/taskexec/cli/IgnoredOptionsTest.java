package io.taskexec.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.Main;
import io.taskexec.cli.client.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An option that would do nothing is refused before a file is read or a server asked. */
class IgnoredOptionsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            endpoints create -f x.yaml --to http://a --queue q   | --to, --queue cannot be used with -f.
            endpoints create -f x.yaml --method PUT -H a=b -H c=d | --method, --header cannot be used with -f.
            jobs create -f x.yaml --tag t --at 2027              | --tag, --at cannot be used with -f.
            jobs create -f x.ndjson --priority 1 | --priority cannot be used with a file that has a job in each line.
            jobs create -f x.txt --ndjson -o json | --output cannot be used with a file that has a job in each line.
            jobs create --endpoint a --ndjson                    | --ndjson cannot be used without -f.
            jobs create --endpoint a --every 1h --tz UTC         | --tz cannot be used without --cron.
            jobs list --all --limit 3                            | --limit cannot be used with --all.
            jobs list --interval 1s                              | --interval cannot be used without --watch.
            jobs get job_1 --interval 1s                         | --interval cannot be used without --watch.
            logs exec_1 --type failed -n 3 | --type, --last cannot be used with an EXECUTION_ID but with -f.
            logs exec_1 -f --execution exec_2                    | --execution cannot be used with an EXECUTION_ID.
            verify --tolerance 1d --no-tolerance                 | --tolerance cannot be used with --no-tolerance.
            """)
    void whatWouldBePassedOverIsRefused(String words, String sentence) {
        var err = new StringWriter();

        var code = Main.commandLine(List.of(words.split(" ")))
                .setErr(new PrintWriter(err))
                .execute(words.split(" "));

        assertThat(code).as(err.toString()).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString().lines()).hasSize(2);
        assertThat(err.toString()).startsWith(sentence).endsWith(" --help'." + System.lineSeparator());
    }
}
