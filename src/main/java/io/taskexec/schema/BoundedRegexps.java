package io.taskexec.schema;

import java.util.Optional;
import org.everit.json.schema.regexp.RE2JRegexpFactory;
import org.everit.json.schema.regexp.Regexp;
import org.everit.json.schema.regexp.RegexpFactory;
import org.everit.json.schema.regexp.RegexpMatchingFailure;

/** Regular expressions of RE2 whose memory and time are bounded, and not only linear in what both parties send. */
final class BoundedRegexps implements RegexpFactory {
    private static final int MAX_STATES = 10_000;

    /** States times characters; the worst expressions take about two seconds for it. */
    private static final long MAX_WORK = 100_000_000;

    private final RegexpFactory re2 = new RE2JRegexpFactory();

    /** Throws InvalidSchemaException for an expression that is too large, and what the library throws for others. */
    @Override
    public Regexp createHandler(String expression) {
        var states = RegexpCost.of(expression);
        if (states > MAX_STATES) {
            throw new InvalidSchemaException(
                    "a regular expression is too large, repetitions counted: " + Excerpt.of(expression));
        }
        return new Bounded(re2.createHandler(expression), states);
    }

    private record Bounded(Regexp regexp, int states) implements Regexp {
        @Override
        public Optional<RegexpMatchingFailure> patternMatchingFailure(String text) {
            if ((long) states * text.length() > MAX_WORK) {
                throw new UncheckableException("a text of " + text.length() + " characters is too long for the regular"
                        + " expression that the schema has for it");
            }
            return regexp.patternMatchingFailure(text);
        }

        @Override
        public String toString() {
            return regexp.toString();
        }
    }
}
