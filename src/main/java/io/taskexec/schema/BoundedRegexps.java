package io.taskexec.schema;

import com.google.re2j.Pattern;
import java.util.Optional;
import org.everit.json.schema.regexp.RE2JRegexpFactory;
import org.everit.json.schema.regexp.Regexp;
import org.everit.json.schema.regexp.RegexpFactory;
import org.everit.json.schema.regexp.RegexpMatchingFailure;

/**
 * The regular expressions of one schema, by RE2, whose memory and time are bounded, and not only linear in what both
 * parties send: each alone, all of a schema together, and with all texts of an input by the budget of the check.
 */
final class BoundedRegexps implements RegexpFactory {
    private static final int MAX_STATES = 10_000;

    /** All expressions of a schema together; some ten megabytes. */
    private static final int MAX_STATES_OF_SCHEMA = 100_000;

    private static final int STEPS_PER_STATE = 2;

    /** States times characters of one match; the worst expressions take about two seconds for it. */
    private static final long MAX_WORK = 100_000_000;

    /** States times characters that take about as long as a step when all states are reached. */
    private static final int WORK_PER_STEP = 5;

    /** All that a mismatch says; the library lets none be made. */
    private final Optional<RegexpMatchingFailure> mismatch =
            new RE2JRegexpFactory().createHandler("x").patternMatchingFailure("");

    private int statesOfSchema;

    /** Throws InvalidSchemaException for an expression that is too large, and what the library throws for others. */
    @Override
    public Regexp createHandler(String expression) {
        var states = RegexpCost.of(expression);
        if (states > MAX_STATES) {
            throw new InvalidSchemaException(
                    "a regular expression is too large, repetitions counted: " + Excerpt.of(expression));
        }
        statesOfSchema += states;
        if (statesOfSchema > MAX_STATES_OF_SCHEMA) {
            throw new InvalidSchemaException("the regular expressions of the schema are too large together");
        }
        CheckBudget.charge(1 + (long) states * STEPS_PER_STATE);
        return new Bounded(Pattern.compile(expression), states, mismatch);
    }

    private record Bounded(Pattern pattern, int states, Optional<RegexpMatchingFailure> mismatch) implements Regexp {
        @Override
        public Optional<RegexpMatchingFailure> patternMatchingFailure(String text) {
            if ((long) states * text.length() > MAX_WORK) {
                throw new UncheckableException("a text of " + text.length() + " characters is too long for the regular"
                        + " expression that the schema has for it");
            }
            CheckBudget.charge(1 + (long) states * text.length() / WORK_PER_STEP);
            return pattern.matcher(new MeteredText(text)).find() ? Optional.empty() : mismatch;
        }

        @Override
        public String toString() {
            return pattern.toString();
        }
    }
}
