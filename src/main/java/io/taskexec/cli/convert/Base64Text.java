package io.taskexec.cli.convert;

import io.taskexec.cli.convert.Entries.Entry;
import io.taskexec.cli.text.MalformedTextException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Decodes texts that are in base64. */
final class Base64Text {
    private Base64Text() {}

    /** Returns the text of a field; null without one. */
    static @Nullable String decode(Entry entry, String field) throws MalformedTextException, NoEquivalentException {
        var text = entry.textOrNull(field);
        if (text == null) {
            return null;
        }
        try {
            var bytes = ByteBuffer.wrap(Base64.getDecoder().decode(text));
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (IllegalArgumentException _) {
            throw entry.malformed("'" + field + "' is not base64");
        } catch (CharacterCodingException _) {
            throw new NoEquivalentException("its body is not JSON, and taskexec sends JSON alone.");
        }
    }
}
