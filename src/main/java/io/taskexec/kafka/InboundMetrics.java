package io.taskexec.kafka;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** Counts the outcomes of records of the inbound topic. */
final class InboundMetrics {
    private final Counter created;
    private final Counter duplicates;
    private final Counter deadLetters;

    InboundMetrics(MeterRegistry registry) {
        created = counter(registry, "created");
        duplicates = counter(registry, "duplicate");
        deadLetters = counter(registry, "dead_letter");
    }

    private static Counter counter(MeterRegistry registry, String outcome) {
        return Counter.builder("taskexec.jobs.inbound")
                .description("Records of the topic that jobs come from, by what became of them")
                .tag("outcome", outcome)
                .register(registry);
    }

    void stored(boolean isNew) {
        (isNew ? created : duplicates).increment();
    }

    void refused(int records) {
        deadLetters.increment(records);
    }
}
