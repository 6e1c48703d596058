package io.taskexec.chaos;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;

/** Something bad that happens to one process. */
record Fault(Kind kind, Victim victim) {
    /** The kind of a fault. */
    enum Kind {
        /** SIGKILL. */
        KILL,
        /** SIGSTOP, and SIGCONT after longer than a lease. */
        FREEZE,
        /** SIGTERM. */
        TERMINATE
    }

    /** To which kind of process. */
    enum Victim {
        WORKER,
        SCHEDULER,
        API,
        DATABASE
    }

    /** Every fault once but a frozen database, which stops everybody alike; in an order that depends on the seed. */
    static List<Fault> deck(Random seeded) {
        var deck = new ArrayList<>(Stream.of(Victim.values())
                .flatMap(victim -> Stream.of(Kind.values()).map(kind -> new Fault(kind, victim)))
                .filter(fault -> fault.kind != Kind.FREEZE || fault.victim != Victim.DATABASE)
                .toList());
        Collections.shuffle(deck, seeded);
        return deck;
    }

    @Override
    public String toString() {
        return (kind + " " + victim).toLowerCase(Locale.ROOT);
    }
}
