package io.taskexec.cli.convert;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The formats that can be converted. */
enum SourceFormat {
    CRONTAB,
    EVENTBRIDGE,
    CLOUD_SCHEDULER,
    QSTASH;

    /** Returns the format of a word; null for an unknown one. */
    static @Nullable SourceFormat of(String word) {
        for (var format : values()) {
            if (format.word().equals(word)) {
                return format;
            }
        }
        return null;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** @param zone of a crontab that names none */
    Converter converter(String zone) {
        return switch (this) {
            case CRONTAB -> new CrontabConverter(zone);
            case EVENTBRIDGE -> new EventBridgeConverter();
            case CLOUD_SCHEDULER -> new CloudSchedulerConverter();
            case QSTASH -> new QstashConverter();
        };
    }
}
