package io.taskexec.schema;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Counts the states that a regular expression expands to. RE2 copies what is repeated a counted number of times, and
 * the Java port does so without a bound: {@code (((a{99}){99}){99}){99}} takes all the memory there is.
 *
 * <p>Whatever this misunderstands it counts too high, never too low; whether the expression is valid is not its affair.
 */
final class RegexpCost {
    private static final int MAX_DIGITS = 9;
    /** Other braces stand for themselves. */
    private static final Pattern REPETITION = Pattern.compile("\\{([0-9]++)(?:,([0-9]*+))?}");

    private final String expression;
    private final Deque<Long> outer = new ArrayDeque<>();
    private int at;
    /** States of the current group so far, without the last atom, which may yet be repeated. */
    private long group;

    private long atom;

    private RegexpCost(String expression) {
        this.expression = expression;
    }

    /** The number of states, cut at {@link Integer#MAX_VALUE}. */
    static int of(String expression) {
        return new RegexpCost(expression).count();
    }

    private int count() {
        while (at < expression.length()) {
            step(expression.charAt(at++));
        }
        while (!outer.isEmpty()) {
            close();
        }
        return (int) Math.min(Integer.MAX_VALUE, group + atom);
    }

    private void step(char c) {
        switch (c) {
            case '(' -> open();
            case ')' -> close();
            case '{' -> repeat();
            case '[' -> {
                skipClass();
                startAtom(1);
            }
            case '\\' -> startAtom(escaped());
            default -> startAtom(1);
        }
    }

    private void startAtom(long states) {
        group += atom;
        atom = states;
    }

    private void open() {
        startAtom(0);
        outer.push(group);
        group = 0;
    }

    private void close() {
        // A group costs something even when empty, or repeating it would be free.
        atom += group + 1;
        group = outer.isEmpty() ? 0 : outer.pop();
    }

    private void repeat() {
        var repetition = REPETITION.matcher(expression).region(at - 1, expression.length());
        if (!repetition.lookingAt()) {
            startAtom(1);
            return;
        }
        var times = Math.max(times(repetition.group(1)), times(repetition.group(2)));
        atom = Math.min(atom * Math.max(1, times), Integer.MAX_VALUE);
        at = repetition.end();
    }

    private static long times(@Nullable String digits) {
        if (digits == null || digits.isEmpty()) {
            return 0;
        }
        return digits.length() > MAX_DIGITS ? Integer.MAX_VALUE : Long.parseLong(digits);
    }

    private int escaped() {
        if (at < expression.length() && expression.charAt(at) == 'Q') {
            var end = expression.indexOf("\\E", at);
            var from = at;
            at = end < 0 ? expression.length() : end + 2;
            return at - from;
        }
        at++;
        return 1;
    }

    private void skipClass() {
        if (at < expression.length() && expression.charAt(at) == '^') {
            at++;
        }
        // A closing bracket in the first place stands for itself.
        var first = at;
        while (at < expression.length() && (expression.charAt(at) != ']' || at == first)) {
            at += expression.charAt(at) == '\\' ? 2 : expression.startsWith("[:", at) ? namedClass() : 1;
        }
        at++;
    }

    private int namedClass() {
        var end = expression.indexOf(":]", at + 2);
        return end < 0 ? 1 : end + 2 - at;
    }
}
