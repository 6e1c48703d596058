package io.taskexec.cli.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class LineReaderTest {
    private static String read(String text) throws IOException {
        var seen = new ArrayList<String>();
        try (var lines = new LineReader(new ByteArrayInputStream(text.getBytes(UTF_8)), 3)) {
            for (var line = lines.next(); line.length() >= 0; line = lines.next()) {
                seen.add(UTF_8.decode(line.bytes()) + "/" + line.length());
            }
        }
        return seen.toString();
    }

    @Test
    void linesComeOneAfterTheOtherAndOfALongOneNoMoreThanIsWanted() throws IOException {
        assertThat(read("a\n\nabcdef\nabc")).isEqualTo("[a/1, /0, abc/6, abc/3]");
        assertThat(read("a\n")).isEqualTo("[a/1]");
        assertThat(read("")).isEqualTo("[]");
    }
}
