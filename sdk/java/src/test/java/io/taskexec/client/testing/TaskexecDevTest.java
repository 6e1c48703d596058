package io.taskexec.client.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that nothing is left of a server when the process ends that has started it. */
class TaskexecDevTest {
    @TempDir
    Path directory;

    private Path temporary() {
        return directory.resolve("tmp");
    }

    private static String java(Class<?> program) {
        return Path.of(System.getProperty("java.home"), "bin", "java") + " -XX:TieredStopAtLevel=1 -cp "
                + System.getProperty("java.class.path") + " -Djava.io.tmpdir=\"$TMPDIR\" '" + program.getName() + "'";
    }

    private Process start(Path program) throws IOException {
        Files.createDirectories(temporary());
        var builder = new ProcessBuilder("sh", "-c", "exec " + java(Starter.class) + " " + program)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("out").toFile());
        builder.environment().put("TMPDIR", temporary().toString());
        return builder.start();
    }

    /** Starts a server, as a test does that shares it, and ends. */
    static final class Starter {
        private Starter() {}

        public static void main(String[] arguments) {
            System.out.println(TaskexecDev.start(Path.of(arguments[0])).url());
        }
    }

    /** Answers as the program does when it has started. */
    static final class Server {
        private Server() {}

        public static void main(String[] arguments) throws IOException {
            var options = List.of(arguments);
            var port = Integer.parseInt(options.get(options.indexOf("--port") + 1));
            var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
            server.createContext("/", exchange -> {
                exchange.sendResponseHeaders(204, -1);
                exchange.close();
            });
            server.start();
            var data = Path.of(options.get(options.indexOf("--data-dir") + 1));
            Files.writeString(Files.createDirectories(data).resolve("api-key"), "key");
        }
    }

    @Test
    void aServerThatIsNotClosedEndsWithTheProcessThatHasStartedIt() throws Exception {
        var pid = directory.resolve("pid");
        var program = Files.writeString(
                directory.resolve("program"),
                "#!/bin/sh\necho $$ > %s\nexec %s \"$@\"\n".formatted(pid, java(Server.class)));
        assertThat(program.toFile().setExecutable(true)).isTrue();

        var starter = start(program);

        assertThat(starter.waitFor(60, TimeUnit.SECONDS)).isTrue();
        var server = ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()));
        server.ifPresent(ProcessHandle::destroyForcibly);
        assertThat(server).isEmpty();
        assertThat(Files.readString(directory.resolve("out"))).startsWith("http://127.0.0.1:");
        assertThat(temporary()).isEmptyDirectory();
    }

    @Test
    void aProgramThatCannotBeStartedLeavesNoDirectory() throws Exception {
        var starter = start(directory.resolve("missing"));

        assertThat(starter.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(directory.resolve("out"))).contains("taskexec cannot be started");
        assertThat(temporary()).isEmptyDirectory();
    }
}
