package io.taskexec.forecast;

import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Keeps so many of the largest items, and counts all. */
final class Largest<T> {
    private final int most;
    private final Comparator<T> order;
    private final PriorityQueue<T> kept;
    private long total;

    Largest(int most, Comparator<T> order) {
        this.most = most;
        this.order = order;
        this.kept = new PriorityQueue<>(order);
    }

    void add(T item) {
        total++;
        kept.add(item);
        if (kept.size() > most) {
            kept.remove();
        }
    }

    long total() {
        return total;
    }

    /** The largest first. */
    List<T> items() {
        return kept.stream().sorted(order.reversed()).toList();
    }
}
