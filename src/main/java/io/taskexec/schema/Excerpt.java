package io.taskexec.schema;

/** The beginning of a foreign text, which may be long. */
final class Excerpt {
    private static final int MAX_CHARACTERS = 200;

    private Excerpt() {}

    static String of(String text) {
        if (text.length() <= MAX_CHARACTERS) {
            return text;
        }
        // Not between the halves of a surrogate pair.
        var end = Character.isHighSurrogate(text.charAt(MAX_CHARACTERS - 1)) ? MAX_CHARACTERS - 1 : MAX_CHARACTERS;
        return text.substring(0, end) + "...";
    }
}
