package io.taskexec.worker.share;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Lets lines take turns while claims leave more behind. A claim empties one line after the other, so a long one would
 * keep those after it waiting. Every second claim begins with all lines except the long ones, and takes the rest from
 * one long line. The other claims begin with a single line, which shows whether that line is long, that is, has as much
 * as a claim wants. Used by one loop only.
 */
public final class LineTurns {
    /** The one whose turn it is comes first. */
    private final Set<Integer> longLines = new LinkedHashSet<>();

    private boolean isShortTurn = true;
    private boolean areShortEmptied;
    private int turns;

    /**
     * The lines that a claim begins with, and those from which it has what it still wants.
     *
     * @param rest empty when it begins with all
     */
    public record Turn(List<Integer> first, List<Integer> rest) {
        /** One claim from all lines. */
        public static Turn all(List<Integer> lines) {
            return new Turn(lines, List.of());
        }

        /** Whether nothing is left in these lines once it has too little. */
        public boolean isForAll(List<Integer> lines) {
            return rest.isEmpty() || rest.size() == lines.size();
        }

        private boolean isForOne() {
            return first.size() == 1 && rest.size() > 1;
        }
    }

    /** Returns the turn of the next claim from these lines, which is the same until {@link #claimed}. */
    public Turn next(List<Integer> lines) {
        longLines.retainAll(lines);
        if (lines.size() == 1 || (isShortTurn && longLines.isEmpty())) {
            return Turn.all(lines);
        }
        return isShortTurn && longLines.size() < lines.size()
                ? new Turn(shortLines(lines), List.of(longLines.iterator().next()))
                : new Turn(List.of(alone(lines)), lines);
    }

    private List<Integer> shortLines(List<Integer> lines) {
        return lines.stream().filter(line -> !longLines.contains(line)).toList();
    }

    /** Where all others have just been emptied, only the long ones take turns. */
    private int alone(List<Integer> lines) {
        return areShortEmptied && !longLines.isEmpty() ? longLines.iterator().next() : lines.get(turns % lines.size());
    }

    /** Tells whether the first lines of a turn had as much as was wanted. */
    public void claimed(Turn turn, boolean isFull) {
        isShortTurn = !isShortTurn;
        if (turn.isForOne()) {
            turns++;
            toTheEnd(turn.first().getFirst(), isFull);
        } else {
            areShortEmptied = !isFull;
            turn.rest().forEach(line -> toTheEnd(line, true));
        }
    }

    private void toTheEnd(int line, boolean isLong) {
        longLines.remove(line);
        if (isLong) {
            longLines.add(line);
        }
    }
}
