package io.taskexec.client.worker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** Reads the counters that Linux has in {@code /proc}. */
final class ProcReader implements ResourceReader {
    private static final Pattern SPACES = Pattern.compile("\\s+");

    /** Those that only pass on what other devices do. */
    private static final Pattern STACKED = Pattern.compile("(loop|ram|zram|dm-|md|sr|fd)\\d.*");

    private static final int SECTOR = 512;

    /** Of the line {@code cpu}: idle, and idle while it waits for disks. */
    private static final int IDLE = 4;

    private static final int IO_WAIT = 5;

    /** Guest time is counted in user time as well. */
    private static final int LAST_TIME = 8;

    private final Path proc;
    private final Path devices;
    private long lastBusy = -1;
    private long lastTotal = -1;

    ProcReader() {
        this(Path.of("/proc"), Path.of("/sys/block"));
    }

    ProcReader(Path proc, Path devices) {
        this.proc = proc;
        this.devices = devices;
    }

    static boolean isUsable() {
        return Files.isReadable(Path.of("/proc/stat"));
    }

    @Override
    public synchronized Reading read() {
        var disk = disk();
        var network = network();
        return new Reading(cpu(), disk[0], disk[1], network[0], network[1]);
    }

    private double cpu() {
        var line =
                lines("stat").stream().filter(text -> text.startsWith("cpu ")).findFirst();
        if (line.isEmpty()) {
            return 0;
        }
        var times = SPACES.split(line.get(), -1);
        long total = 0;
        long busy = 0;
        for (var i = 1; i < times.length && i <= LAST_TIME; i++) {
            var time = Long.parseLong(times[i]);
            total += time;
            busy += i == IDLE || i == IO_WAIT ? 0 : time;
        }
        var part = lastTotal < 0 || total <= lastTotal ? 0 : (double) (busy - lastBusy) / (total - lastTotal);
        lastBusy = busy;
        lastTotal = total;
        return Math.max(0, Math.min(1, part));
    }

    /** Whole disks, without their partitions. */
    private long[] disk() {
        var lines = lines("diskstats");
        var sum = new long[] {0, 0};
        for (var line : lines) {
            var columns = SPACES.split(line.strip(), -1);
            if (columns.length > 9
                    && !STACKED.matcher(columns[2]).matches()
                    && Files.exists(devices.resolve(columns[2]))) {
                sum[0] += Long.parseLong(columns[5]) * SECTOR;
                sum[1] += Long.parseLong(columns[9]) * SECTOR;
            }
        }
        return lines.isEmpty() ? new long[] {-1, -1} : sum;
    }

    private long[] network() {
        var lines = lines("net/dev");
        var sum = new long[] {0, 0};
        for (var line : lines) {
            var colon = line.indexOf(':');
            if (colon < 0 || "lo".equals(line.substring(0, colon).strip())) {
                continue;
            }
            var columns = SPACES.split(line.substring(colon + 1).strip(), -1);
            sum[0] += Long.parseLong(columns[0]);
            sum[1] += Long.parseLong(columns[8]);
        }
        return lines.isEmpty() ? new long[] {-1, -1} : sum;
    }

    private List<String> lines(String file) {
        try {
            return Files.readAllLines(proc.resolve(file));
        } catch (IOException e) {
            // A container may hide some of them.
            return List.of();
        }
    }
}
