package io.taskexec.client.worker;

import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;

/** Asks the Java runtime for the use of the processors. */
final class CpuReader implements ResourceReader {
    private final OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();

    @Override
    public Reading read() {
        return new Reading(Math.max(0, Math.min(1, cpu())), -1, -1, -1, -1);
    }

    private double cpu() {
        if (system instanceof com.sun.management.OperatingSystemMXBean known) {
            return known.getCpuLoad();
        }
        return system.getSystemLoadAverage() / system.getAvailableProcessors();
    }
}
