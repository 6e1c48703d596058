package io.taskexec.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.Main;
import io.taskexec.cli.client.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever types a command does not wait for the descriptions of all others. */
class CommandsTest {
    @Test
    void onlyTheCommandsThatTheWordsNameAreMade() {
        var program = Main.commandLine(List.of("jobs", "list", "--all"));

        assertThat(program.getSubcommands()).containsOnlyKeys("jobs");
        assertThat(requireNonNull(program.getSubcommands().get("jobs")).getSubcommands())
                .containsOnlyKeys("list");
        assertThat(Main.commandLine(List.of("dev")).getSubcommands()).containsOnlyKeys("dev");
        assertThat(Main.commandLine(List.of("--roles=api")).getSubcommands()).isEmpty();
        assertThat(Main.commandLine(List.of()).getSubcommands()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-h", "help jobs create", "completion bash", "jbos list", "--verbose --help"})
    void allCommandsAreMadeForWhoAsksForThemOrMisspellsOne(String words) {
        var all = Main.commandLine(List.of("help")).getSubcommands().keySet();

        assertThat(Main.commandLine(List.of(words.split(" "))).getSubcommands()).containsOnlyKeys(all);
        assertThat(all).containsAll(Set.of("serve", "dev", "jobs", "apply", "help", "version"));
    }

    /** That of arguments. */
    private static final String ENCODING = "sun.jnu.encoding";

    @Test
    void anArgumentThatTheLocaleHasDestroyedIsRefused() {
        var err = new StringWriter();
        var words = List.of("cron", "next", "@daily", "--tz", "\uFFFD\uFFFD");

        var encoding = System.setProperty(ENCODING, "ANSI_X3.4-1968");
        int code;
        try {
            code = Main.commandLine(words).setErr(new PrintWriter(err)).execute(words.toArray(String[]::new));
        } finally {
            var _ = System.setProperty(ENCODING, encoding);
        }

        assertThat(code).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).startsWith("An argument has characters that cannot be read in this locale: ");
    }

    @Test
    void allVerbsAreMadeForANounAlone() {
        var jobs = requireNonNull(
                Main.commandLine(List.of("jobs", "--help")).getSubcommands().get("jobs"));

        assertThat(jobs.getSubcommands()).containsKeys("list", "get", "create", "pause");
    }
}
