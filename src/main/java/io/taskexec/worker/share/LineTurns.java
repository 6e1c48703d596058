package io.taskexec.worker.share;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Lets lines take turns while claims leave more behind. A claim empties one line after the other, so a long one would
 * keep those after it waiting. Every second claim begins with all lines but the long ones, and the others begin with
 * one line alone, which shows whether it is long: whether it has as much as a claim wants. Used by one loop only.
 */
public final class LineTurns {
    private final Set<Integer> longLines = new LinkedHashSet<>();
    private boolean areShortEmptied;
    private boolean isShortTurn;
    private int turns;

    /**
     * The lines that a claim begins with; what it still wants then comes from all.
     *
     * @param areShort whether these are all but the long ones
     */
    public record Turn(List<Integer> lines, boolean areShort) {}

    /** Returns with which of these lines the next claim begins. */
    public Turn next(List<Integer> lines) {
        longLines.retainAll(lines);
        isShortTurn = !isShortTurn;
        return isShortTurn ? shortLines(lines) : new Turn(List.of(oneOf(lines)), false);
    }

    private Turn shortLines(List<Integer> lines) {
        var others = lines.stream().filter(line -> !longLines.contains(line)).toList();
        return others.isEmpty() || longLines.isEmpty() ? new Turn(lines, false) : new Turn(others, true);
    }

    /** Where all others have just been emptied, the long ones are alone in taking turns. */
    private int oneOf(List<Integer> lines) {
        var candidates = areShortEmptied && !longLines.isEmpty() ? List.copyOf(longLines) : lines;
        turns = (turns + 1) % candidates.size();
        return candidates.get(turns);
    }

    /** Tells whether the lines of a turn had as much as was wanted. */
    public void claimed(Turn turn, boolean isFull) {
        if (turn.areShort() || turn.lines().size() > 1) {
            areShortEmptied = turn.areShort() && !isFull;
        } else if (isFull) {
            longLines.add(turn.lines().getFirst());
        } else {
            longLines.remove(turn.lines().getFirst());
        }
    }
}
