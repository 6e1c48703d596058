package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * A page of the documents as a script. Each block of commands prints into a file of its own. A block of output shows
 * what the commands before it print, or, with a comment above it, what a server has printed by then.
 */
final class PageScript {
    private static final Pattern BLOCK = Pattern.compile(
            "(?:<!-- (answers|printed by) (\\w+) -->\\n+)?^```(\\w*)\\n(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE);

    private final StringBuilder script = new StringBuilder();
    private final List<Shown> shown = new ArrayList<>();
    private int blocks;

    private record Shown(String file, String text, boolean isJson) {}

    PageScript(String page, UnaryOperator<String> here) {
        BLOCK.matcher(page).results().forEach(block -> {
            var comment = block.group(1);
            var word = block.group(2);
            var text = here.apply(block.group(4));
            switch (block.group(3)) {
                case "sh" -> run(text, "answers".equals(comment) ? word : "");
                case "json", "" ->
                    show(
                            text,
                            "printed by".equals(comment) ? word : "",
                            block.group(3).equals("json"));
                default -> {
                    // Only to be looked at.
                }
            }
        });
    }

    private void run(String commands, String expected) {
        blocks++;
        script.append("\nEXPECTED=")
                .append(expected)
                .append("\nexec 4>&1 >printed-")
                .append(blocks)
                .append('\n');
        script.append(commands)
                .append("exec >&4 4>&-\ncat printed-")
                .append(blocks)
                .append('\n');
    }

    private void show(String text, String server, boolean isJson) {
        if (server.isEmpty()) {
            shown.add(new Shown("printed-" + blocks, text, isJson));
        } else {
            var file = "shown-" + shown.size();
            // The line that tells whether it has come already; the number before it is another one.
            var awaited = text.lines().findFirst().orElse("").replaceFirst("^#\\d+ ", "");
            script.append("\nprinted %s %s '%s'\n".formatted(server, file, awaited));
            shown.add(new Shown(file, text, false));
        }
    }

    String text() {
        return script.toString();
    }

    /** To be called when the script has run. */
    void assertShownIsPrinted(Path directory) throws IOException {
        assertThat(shown).isNotEmpty();
        for (var output : shown) {
            var printed = Files.readString(directory.resolve(output.file()));
            if (output.isJson()) {
                ShownOutput.assertSameJson(output.text(), printed);
            } else {
                ShownOutput.assertContains(output.text(), printed);
            }
        }
    }
}
