package io.taskexec.secret;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Refuses keys that can be guessed. A generated key passes, whatever its alphabet. */
public final class KeyStrength {
    private static final int LEAST_LENGTH = 16;
    private static final int LEAST_DIFFERENT = 5;

    /** The least length of a key without the words below. */
    private static final int LEAST_UNKNOWN = 8;

    /** The longest first, so that no part of one stays behind. */
    private static final List<String> WELL_KNOWN = Stream.of(
                    "changeme",
                    "change",
                    "secret",
                    "password",
                    "passwort",
                    "passwd",
                    "pass",
                    "test",
                    "admin",
                    "root",
                    "user",
                    "default",
                    "example",
                    "sample",
                    "demo",
                    "dummy",
                    "apikey",
                    "api",
                    "key",
                    "token",
                    "bearer",
                    "taskexec",
                    "bootstrap",
                    "letmein",
                    "welcome",
                    "qwertyuiop",
                    "qwerty",
                    "asdfghjkl",
                    "asdf",
                    "zxcvbnm",
                    "please",
                    "replace",
                    "insert",
                    "here",
                    "your",
                    "this",
                    "with",
                    "local",
                    "dev",
                    "prod",
                    "production",
                    "staging",
                    "0123456789",
                    "1234567890",
                    "987654321",
                    "12345678",
                    "123456",
                    "1234",
                    "abcdefghijklmnopqrstuvwxyz",
                    "abcdefghij",
                    "abcdef",
                    "abcd",
                    "deadbeef",
                    "cafebabe",
                    "foobar",
                    "foo",
                    "bar",
                    "my",
                    "me",
                    "the",
                    "not",
                    "very",
                    "super",
                    "long",
                    "strong",
                    "safe",
                    "secure",
                    "value",
                    "must",
                    "that",
                    "enough",
                    "is")
            .sorted(Comparator.comparingInt(String::length).reversed())
            .toList();

    private KeyStrength() {}

    /** Throws IllegalArgumentException with a reason, which does not contain the key, when it can be guessed. */
    public static void checkApiKey(String key) {
        check(
                key.length() >= LEAST_LENGTH,
                "it has " + key.length() + " characters instead of at least " + LEAST_LENGTH);
        check(key.chars().distinct().count() >= LEAST_DIFFERENT, "it has the same few characters over and over");
        check(2 * commonest(key) <= key.length(), "one character makes up more than half of it");
        check(!isRepeated(key), "it is the same text over and over");
        check(unknown(key) >= LEAST_UNKNOWN, "it is made of well-known words");
    }

    private static long commonest(String key) {
        return key.chars()
                .mapToLong(c -> key.chars().filter(other -> other == c).count())
                .max()
                .orElse(0);
    }

    /** A text of two or more equal parts is found in itself, moved by one of them. */
    private static boolean isRepeated(String key) {
        return (key + key).indexOf(key, 1) < key.length();
    }

    private static int unknown(String key) {
        var rest = key.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}]", "");
        for (var word : WELL_KNOWN) {
            rest = rest.replace(word, "");
        }
        return rest.length();
    }

    private static void check(boolean strong, String reason) {
        if (!strong) {
            throw new IllegalArgumentException(reason);
        }
    }
}
