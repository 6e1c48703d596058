package io.taskexec.worker.share;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Lets lines take turns while claims leave more behind. A claim empties one line after the other, so a long one would
 * keep those after it waiting. Every second claim begins with all lines but the long ones, and has the rest from one of
 * these; the others begin with one line alone, which shows whether it is long: whether it has as much as a claim wants.
 * Used by one loop only.
 */
public final class LineTurns {
    private final Set<Integer> longLines = new LinkedHashSet<>();
    private boolean areShortEmptied;
    private boolean isShortTurn;
    private int turns;
    private int longTurns;

    /**
     * The lines that a claim begins with, and those from which it has what it still wants.
     *
     * @param areShort whether it begins with all but the long ones
     * @param rest empty when it begins with all
     */
    public record Turn(List<Integer> first, boolean areShort, List<Integer> rest) {
        /** One claim from all lines. */
        public static Turn all(List<Integer> lines) {
            return new Turn(lines, false, List.of());
        }
    }

    /** Returns the turn of the next claim from these lines. */
    public Turn next(List<Integer> lines) {
        if (lines.size() == 1) {
            return Turn.all(lines);
        }
        longLines.retainAll(lines);
        isShortTurn = !isShortTurn;
        if (!isShortTurn || longLines.size() == lines.size()) {
            return new Turn(List.of(oneOf(lines)), false, lines);
        }
        if (longLines.isEmpty()) {
            return Turn.all(lines);
        }
        var others = lines.stream().filter(line -> !longLines.contains(line)).toList();
        return new Turn(others, true, List.of(nextLong()));
    }

    /** Where all others have just been emptied, only the long ones take turns. */
    private int oneOf(List<Integer> lines) {
        if (areShortEmptied && !longLines.isEmpty()) {
            return nextLong();
        }
        turns = (turns + 1) % lines.size();
        return lines.get(turns);
    }

    private int nextLong() {
        longTurns = (longTurns + 1) % longLines.size();
        return List.copyOf(longLines).get(longTurns);
    }

    /** Tells whether the first lines of a turn had as much as was wanted. */
    public void claimed(Turn turn, boolean isFull) {
        if (turn.areShort() || turn.rest().isEmpty()) {
            areShortEmptied = turn.areShort() && !isFull;
        } else if (isFull) {
            longLines.add(turn.first().getFirst());
        } else {
            longLines.remove(turn.first().getFirst());
        }
    }
}
