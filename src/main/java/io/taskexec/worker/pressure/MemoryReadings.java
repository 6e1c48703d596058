package io.taskexec.worker.pressure;

import io.taskexec.worker.pressure.MemoryPressure.Memory;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/** Reads the memory of this process: the heap from the virtual machine, the container from its cgroup (version 2). */
@Singleton
final class MemoryReadings implements Supplier<Memory> {
    private static final Path CGROUP = Path.of("/sys/fs/cgroup");

    private final Path cgroup;
    private final List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();
    private final List<MemoryPoolMXBean> pools = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .toList();

    MemoryReadings() {
        this(CGROUP);
    }

    MemoryReadings(Path cgroup) {
        this.cgroup = cgroup;
    }

    @Override
    public Memory get() {
        return new Memory(collections(), heap(), container());
    }

    private long collections() {
        return collectors.stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    /** A pool that is not collected has no usage of this kind. */
    private double heap() {
        var left = 0L;
        for (var pool : pools) {
            var usage = pool.getCollectionUsage();
            left += usage == null ? 0 : usage.getUsed();
        }
        return left / (double) Runtime.getRuntime().maxMemory();
    }

    /** Pages of files that are not active are given up when memory is short. */
    private double container() {
        try {
            var limit = Files.readString(cgroup.resolve("memory.max")).strip();
            if (limit.equals("max")) {
                return 0;
            }
            var used = Long.parseLong(
                    Files.readString(cgroup.resolve("memory.current")).strip());
            return (used - inactive()) / (double) Long.parseLong(limit);
        } catch (IOException | NumberFormatException _) {
            // No container, or one of another kind.
            return 0;
        }
    }

    private long inactive() throws IOException {
        try (var lines = Files.lines(cgroup.resolve("memory.stat"))) {
            return lines.filter(line -> line.startsWith("inactive_file "))
                    .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
                    .sum();
        }
    }
}
