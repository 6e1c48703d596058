import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** The processor time of a process. */
final class ProcessorTime {
    private static final int MILLIS_PER_TICK = 10;

    /** Of the fields behind the name: the time of children that have ended, in and outside the kernel. */
    private static final int ENDED_USER = 13;

    private static final int ENDED_SYSTEM = 14;

    private ProcessorTime() {}

    /**
     * With that of children that have ended, in milliseconds: a server's process ends with its connection, and what it
     * did before would count as less than nothing. Zero of a process that is gone.
     */
    static long millis(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO).toMillis() + ofEnded(process.pid());
    }

    private static long ofEnded(long pid) {
        try {
            String line = Files.readString(Path.of("/proc/" + pid + "/stat"));
            String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
            return (Long.parseLong(fields[ENDED_USER]) + Long.parseLong(fields[ENDED_SYSTEM])) * MILLIS_PER_TICK;
        } catch (IOException e) {
            // It is gone, or this is no Linux.
            return 0;
        }
    }
}
