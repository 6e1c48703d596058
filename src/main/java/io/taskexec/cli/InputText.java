package io.taskexec.cli;

import io.taskexec.cli.text.MalformedTextException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a file or the standard input says. */
public final class InputText {
    /** Stands for the standard input. */
    public static final String STANDARD_INPUT = "-";

    /** More than the API would take of anything. */
    private static final int MOST_BYTES = 8 * 1024 * 1024;

    private InputText() {}

    /** All of it, as UTF-8. */
    public static String read(String file) throws MalformedTextException {
        try (var input = open(file)) {
            var bytes = input.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new MalformedTextException("%s has more than %d bytes.".formatted(called(file), MOST_BYTES));
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException _) {
            throw new MalformedTextException(called(file) + " is not UTF-8.");
        } catch (IOException _) {
            throw new MalformedTextException(called(file) + " cannot be read.");
        }
    }

    /** Its bytes. */
    public static InputStream open(String file) throws IOException {
        return file.equals(STANDARD_INPUT) ? System.in : Files.newInputStream(Path.of(file));
    }

    /** What messages call it. */
    public static String called(String file) {
        return file.equals(STANDARD_INPUT) ? "The standard input" : "The file " + file;
    }
}
