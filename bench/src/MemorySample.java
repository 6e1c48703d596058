import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;

/**
 * Resident memory at one moment, in bytes, from /proc; zero where there is no /proc.
 *
 * @param program the program itself, without its database
 * @param database the database's processes; pages that they share are counted in each of them
 * @param databaseShares the same, with each shared page divided among its users
 */
record MemorySample(long program, long database, long databaseShares) {
    private static final double MIB = 1024.0 * 1024.0;

    static MemorySample of(ProcessHandle program, Path dataDirectory) throws IOException {
        List<ProcessHandle> database = DatabaseProcesses.in(dataDirectory);
        long own = 0;
        for (ProcessHandle each :
                Stream.concat(Stream.of(program), program.descendants()).toList()) {
            own += database.contains(each) ? 0 : bytes(each, "status", "VmRSS:");
        }
        long resident = 0;
        long shares = 0;
        for (ProcessHandle each : database) {
            resident += bytes(each, "status", "VmRSS:");
            shares += bytes(each, "smaps_rollup", "Pss:");
        }
        return new MemorySample(own, resident, shares);
    }

    /** What the program of a session takes now, in MiB. */
    static double programMib(Session session) throws IOException, InterruptedException, SQLException {
        ProcessHandle program = session.programs().getFirst().process();
        return of(program, session.server().directory()).program() / MIB;
    }

    /** The most that a process has had since its start. */
    static long peak(ProcessHandle process) {
        return bytes(process, "status", "VmHWM:");
    }

    private static long bytes(ProcessHandle process, String file, String field) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + process.pid(), file))) {
            return lines.filter(line -> line.startsWith(field))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
                    .sum();
        } catch (IOException e) {
            // A process that has ended holds no memory.
            return 0;
        }
    }
}
