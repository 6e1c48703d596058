import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What was measured on, without naming it. */
final class Machine {
    private static final long MEBIBYTE = 1024 * 1024;

    private Machine() {}

    static String description(String postgresql) {
        return "%s, %d processors, %s MiB, %s %s, Java %s, PostgreSQL %s"
                .formatted(
                        field("/proc/cpuinfo", "model name", System.getProperty("os.arch")),
                        Runtime.getRuntime().availableProcessors(),
                        memoryMebibytes(),
                        System.getProperty("os.name"),
                        System.getProperty("os.version").replaceAll("-.*", ""),
                        Runtime.version(),
                        postgresql);
    }

    /** How much else the machine does; figures of a busy one say little, and its rates least. */
    static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    private static String memoryMebibytes() {
        String kibibytes = field("/proc/meminfo", "MemTotal", "0").replaceAll("[^0-9]", "");
        return Long.toString(Long.parseLong(kibibytes) * 1024 / MEBIBYTE);
    }

    private static String field(String file, String name, String otherwise) {
        try (Stream<String> lines = Files.lines(Path.of(file))) {
            return lines.filter(line -> line.startsWith(name))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(otherwise);
        } catch (IOException e) {
            // Not Linux.
            return otherwise;
        }
    }
}
