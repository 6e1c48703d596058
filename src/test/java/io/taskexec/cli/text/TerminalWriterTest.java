package io.taskexec.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.model.Json;
import io.taskexec.model.VisibleText;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help.Ansi.Style;

class TerminalWriterTest {
    /** Clears a screen, and turns the direction of what follows. */
    private static final String EVIL = "a\u001b[2J\u202Eb";

    private final StringWriter printed = new StringWriter();
    private final TerminalWriter out = TerminalWriter.ofOutput(printed);

    @Test
    void whatATerminalWouldObeyIsWrittenOutWhicheverWayItIsPrinted() {
        var shown = "a\\u001b[2J\\u202eb";

        out.print(EVIL);
        out.write(EVIL.toCharArray(), 0, EVIL.length());
        out.printf("%s", EVIL);
        out.append(EVIL).append('\u001b');
        out.println(EVIL);

        assertThat(printed).hasToString(shown.repeat(4) + "\\u001b" + shown + System.lineSeparator());
    }

    @Test
    void everyControlAndEveryMarkOfDirectionIsHiddenAndNothingElse() {
        var hidden = IntStream.rangeClosed(0, 0xFFFF)
                .filter(VisibleText::isHidden)
                .boxed()
                .collect(Collectors.toSet());

        assertThat(hidden)
                .contains(0, 7, 8, 0x0D, 0x1B, 0x7F, 0x85, 0x9B, 0x9F, 0x061C, 0x200B, 0x200E, 0x200F)
                .contains(0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069, 0xFEFF)
                .doesNotContain((int) '\n', (int) '\t', (int) ' ', (int) 'ä', 0x05D0, 0x200D, 0xD83D);
        assertThat(VisibleText.of("naïve 🎉 שלום\n\t")).isEqualTo("naïve 🎉 שלום\n\t");
    }

    @Test
    void ownColoursPassAndThoseOfMessagesDoNot() {
        out.print(AnsiStyle.COLORED.apply(Style.fg_red, "FAILED") + "\u001b[8mhidden\u001b[31");
        var messages = new StringWriter();
        TerminalWriter.ofErrors(messages).print(AnsiStyle.COLORED.apply(Style.fg_red, "FAILED"));

        assertThat(printed).hasToString("\u001b[31mFAILED\u001b[39m\u001b[0m\\u001b[8mhidden\\u001b[31");
        assertThat(messages).hasToString("\\u001b[31mFAILED\\u001b[39m\\u001b[0m");
    }

    @Test
    void onlyTheScreenItselfMovesTheCursor() {
        new Screen(out).show(List.of(EVIL), 10);

        assertThat(printed.toString())
                .startsWith("\u001b[2J\u001b[H")
                .contains("a\\u001b[2J\\u202eb\u001b[K\r\n")
                .doesNotContain("\u202E");
    }

    @Test
    void valuesOfJsonAndYamlStayTheSame() throws Exception {
        var all = IntStream.rangeClosed(0, 0xFFFF)
                .filter(c -> !Character.isSurrogate((char) c) && (c < 0x300 || VisibleText.isHidden(c)))
                .mapToObj(Character::toString)
                .collect(Collectors.joining());
        var tree = JsonNodeFactory.instance.objectNode();
        tree.put("all", all)
                .put("lines", "a\n" + EVIL + "\nb")
                .put("plain", "true")
                .put("evil " + EVIL, 1);

        out.print(tree.toPrettyString());
        var json = printed.toString();
        printed.getBuffer().setLength(0);
        out.print(YamlWriter.write(tree));
        var yaml = printed.toString();

        assertThat(json.chars().filter(VisibleText::isHidden)).isEmpty();
        assertThat(yaml.chars().filter(VisibleText::isHidden)).isEmpty();
        assertThat(Json.parse(json)).isEqualTo(tree);
        assertThat(YamlReader.read("a.yaml", yaml).getFirst().tree()).isEqualTo(tree);
    }
}
