package io.taskexec.schedule;

import static io.taskexec.schedule.InvalidScheduleException.quoted;

import io.taskexec.model.NearestName;
import io.taskexec.schedule.InvalidScheduleException.Part;
import java.time.ZoneId;
import java.time.zone.ZoneRulesException;
import java.time.zone.ZoneRulesProvider;
import java.util.HashMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The time zones that a schedule may name. */
public final class Zones {
    private static final String EXPECTED = ": use a name of the tz database such as Europe/Berlin, or UTC";

    /** Offsets, where one letter decides about hours and Etc/GMT+2 is what others call -02:00: nothing is guessed. */
    private static final Pattern OFFSET = Pattern.compile(".*[0-9+].*");

    /** A shorter name may be an abbreviation of a zone, such as CEST, which is like the name of some city. */
    private static final int LETTERS_OF_A_CITY = 5;

    private Zones() {}

    /** The zone of that name in the tz database. Throws InvalidScheduleException. */
    public static ZoneId named(String name) {
        try {
            // Only the names of the database: ZoneId alone would also take fixed offsets, as in +02:00.
            var _ = ZoneRulesProvider.getRules(name, false);
            return ZoneId.of(name);
        } catch (ZoneRulesException _) {
            throw new InvalidScheduleException(Part.ZONE, "There is no time zone " + quoted(name) + hint(name));
        }
    }

    /** Asks for the zone that was meant: the nearest name, or that of the nearest city. */
    private static String hint(String name) {
        if (OFFSET.matcher(name).matches()) {
            return EXPECTED;
        }
        var zones = new TreeSet<>(ZoneRulesProvider.getAvailableZoneIds());
        // Of three letters one is as near as another.
        zones.removeIf(zone -> OFFSET.matcher(zone).matches() || (!zone.contains("/") && !zone.equalsIgnoreCase(name)));
        var nearest = NearestName.of(name, zones);
        if (nearest == null) {
            var cities = new HashMap<String, String>();
            zones.forEach(zone -> cities.putIfAbsent(zone.substring(zone.lastIndexOf('/') + 1), zone));
            nearest = cities.get(name.length() < LETTERS_OF_A_CITY ? name : NearestName.of(name, cities.keySet()));
        }
        return nearest == null ? EXPECTED : "; did you mean " + nearest + "?";
    }
}
