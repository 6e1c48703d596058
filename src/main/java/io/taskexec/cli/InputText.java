package io.taskexec.cli;

import io.taskexec.cli.text.MalformedTextException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads text from a file or the standard input. */
public final class InputText {
    /** The file name that means the standard input. */
    public static final String STANDARD_INPUT = "-";

    /** The API accepts less of anything. */
    private static final int MAX_BYTES = 8 * 1024 * 1024;

    private InputText() {}

    /** Reads the whole text as UTF-8. */
    public static String read(String file) throws MalformedTextException {
        try (var input = open(file)) {
            var bytes = input.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new MalformedTextException("%s has more than %d bytes.".formatted(displayName(file), MAX_BYTES));
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException _) {
            throw new MalformedTextException(displayName(file) + " is not UTF-8.");
        } catch (IOException _) {
            throw new MalformedTextException(displayName(file) + " cannot be read.");
        }
    }

    /** Opens the file for reading. */
    public static InputStream open(String file) throws IOException {
        return file.equals(STANDARD_INPUT) ? System.in : Files.newInputStream(Path.of(file));
    }

    /** Returns the name of the file for messages. */
    public static String displayName(String file) {
        return file.equals(STANDARD_INPUT) ? "The standard input" : "The file " + file;
    }
}
