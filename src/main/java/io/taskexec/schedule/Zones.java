package io.taskexec.schedule;

import static io.taskexec.schedule.InvalidScheduleException.quoted;

import java.time.ZoneId;
import java.time.zone.ZoneRulesException;
import java.time.zone.ZoneRulesProvider;

/** The time zones that a schedule may name. */
public final class Zones {
    private Zones() {}

    /** The zone of that name in the tz database. Throws InvalidScheduleException. */
    public static ZoneId named(String name) {
        try {
            // Only the names of the database: ZoneId alone would also take fixed offsets, as in +02:00.
            var _ = ZoneRulesProvider.getRules(name, false);
            return ZoneId.of(name);
        } catch (ZoneRulesException _) {
            throw new InvalidScheduleException("There is no time zone " + quoted(name)
                    + ": use a name of the tz database such as Europe/Berlin, or UTC");
        }
    }
}
