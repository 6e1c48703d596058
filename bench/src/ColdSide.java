import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import javax.tools.ToolProvider;

/** One of those that taskexec is compared with, as a process of its own that has done nothing before. */
final class ColdSide {
    static final String FLOOR = "floor";
    static final String DB_SCHEDULER = "db-scheduler";

    private ColdSide() {}

    /** From the sources, beforehand: a compiler in its process would have part in what is measured. */
    static void compile(Path classes) {
        Path sources = Path.of(System.getProperty("bench.root", "."), "bench/src");
        int code = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-sourcepath",
                        sources.toString(),
                        "-d",
                        classes.toString(),
                        sources.resolve(ColdSide.class.getName() + ".java").toString());
        if (code != 0) {
            throw new IllegalStateException("javac ended with " + code);
        }
    }

    /** Starts it as this process was started; it ends with its standard input. */
    static Process start(Path classes, String side, Database database, InetSocketAddress target, Arrivals arrivals)
            throws IOException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        return new ProcessBuilder(List.of(
                        java.toString(),
                        "-XX:+UseSerialGC",
                        "-Xms256m",
                        "-Xmx512m",
                        "-cp",
                        classes + File.pathSeparator + System.getProperty("java.class.path"),
                        ColdSide.class.getName(),
                        side,
                        database.url(),
                        "" + target.getPort(),
                        arrivals.path(),
                        "" + arrivals.count()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Delivers what is queued: the side, the database, the port, the path and the number of the jobs. */
    public static void main(String[] arguments) throws Exception {
        var database = new Database(arguments[1]);
        var target = new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[2]));
        RequestBytes request = RequestBytes.post("127.0.0.1:" + target.getPort(), arguments[3], "");
        if (arguments[0].equals(FLOOR)) {
            try (Connection claims = database.connect();
                    Connection records = database.connect()) {
                FloorLoop.run(claims, records, target, request, Integer.parseInt(arguments[4]));
                awaitEnd();
            }
        } else {
            try (var _ = DbScheduler.start(database, target, () -> n -> request.with("{\"n\":" + n + "}"))) {
                awaitEnd();
            }
        }
    }

    private static void awaitEnd() throws IOException {
        while (System.in.read() >= 0) {}
    }
}
