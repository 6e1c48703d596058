package io.taskexec.store.history;

import io.taskexec.model.Uuid7;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The partition of a day, or of all that there was before history was partitioned.
 *
 * @param isDay whether it has one day, or all before {@code endDay}
 * @param endDay the first day that is not in it
 */
public record Partition(boolean isDay, LocalDate endDay) {
    private static final Pattern NAME = Pattern.compile("executions_(until_)?([0-9]{8})");

    static Optional<Partition> ofName(String name) {
        var parts = NAME.matcher(name);
        if (!parts.matches()) {
            return Optional.empty();
        }
        var day = LocalDate.parse(parts.group(2), DateTimeFormatter.BASIC_ISO_DATE);
        return Optional.of(parts.group(1) == null ? new Partition(true, day.plusDays(1)) : new Partition(false, day));
    }

    String suffix() {
        return isDay
                ? DateTimeFormatter.BASIC_ISO_DATE.format(firstDay())
                : "until_" + DateTimeFormatter.BASIC_ISO_DATE.format(endDay);
    }

    LocalDate firstDay() {
        return endDay.minusDays(1);
    }

    /** The first id of its day. */
    public UUID firstId() {
        return Uuid7.floor(firstDay().atStartOfDay(ZoneOffset.UTC).toInstant());
    }

    /** When its last day is over. */
    public Instant end() {
        return endDay.atStartOfDay(ZoneOffset.UTC).toInstant();
    }
}
