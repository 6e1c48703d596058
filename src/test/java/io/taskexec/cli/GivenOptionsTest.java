package io.taskexec.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.Main;
import io.taskexec.cli.client.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An option that would do nothing is refused before a file is read or a server asked. */
class GivenOptionsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            endpoints create -f x.yaml --to http://a --queue q   | --to, --queue cannot be given with -f.
            endpoints create -f x.yaml --method PUT -H a=b -H c=d | --method, --header cannot be given with -f.
            jobs create -f x.yaml --tag t --at 2027              | --tag, --at cannot be given with -f.
            jobs create -f x.ndjson --priority 1                 | --priority cannot be given with a file that has a job in each line.
            jobs create -f x.txt --ndjson -o json                | --output cannot be given with a file that has a job in each line.
            jobs create --endpoint a --ndjson                    | --ndjson cannot be given without -f.
            jobs create --endpoint a --every 1h --tz UTC         | --tz cannot be given without --cron.
            jobs list --all --limit 3                            | --limit cannot be given with --all.
            jobs list --interval 1s                              | --interval cannot be given without --watch.
            jobs get job_1 --interval 1s                         | --interval cannot be given without --watch.
            logs exec_1 --type failed -n 3                       | --type, --last cannot be given with an EXECUTION_ID but with -f.
            logs exec_1 -f --execution exec_2                    | --execution cannot be given with an EXECUTION_ID.
            """)
    void whatWouldBePassedOverIsRefused(String words, String sentence) {
        var err = new StringWriter();

        var code = Main.commandLine().setErr(new PrintWriter(err)).execute(words.split(" "));

        assertThat(code).as(err.toString()).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString().lines()).hasSize(2);
        assertThat(err.toString()).startsWith(sentence).endsWith(" --help'." + System.lineSeparator());
    }
}
