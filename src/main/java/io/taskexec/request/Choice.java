package io.taskexec.request;

import io.taskexec.model.NearestName;
import io.taskexec.model.Option;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads values that are one of a few words. Each word has one spelling, in bodies, queries and messages alike. */
public final class Choice {
    private Choice() {}

    /** The constant that is written like {@code text}, null when there is none. */
    public static <E extends Enum<E>> @Nullable E of(String text, Class<E> type) {
        for (var constant : type.getEnumConstants()) {
            if (word(constant).equals(text)) {
                return constant;
            }
        }
        return null;
    }

    /** Returns the value of a constant in the API. */
    public static String word(Enum<?> constant) {
        return Option.word(constant);
    }

    public static <E extends Enum<E>> List<String> words(Class<E> type) {
        return Arrays.stream(type.getEnumConstants()).map(Choice::word).toList();
    }

    /** The end of a sentence about a value that is not one of {@code words}. */
    public static String oneOf(String given, List<String> words) {
        return "one of " + list(words) + hint(given, words);
    }

    /** Asks whether the word was meant that is nearest to {@code given}; empty when none is near. */
    public static String hint(String given, Collection<String> words) {
        return NearestName.hint(given, words, "");
    }

    /** The words as a part of a sentence. */
    public static String list(List<String> words) {
        return words.size() == 1
                ? words.getFirst()
                : String.join(", ", words.subList(0, words.size() - 1)) + " and " + words.getLast();
    }
}
