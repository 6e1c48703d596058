package io.taskexec.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.TestFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A PostgreSQL server that a test can kill, start again at the same address, freeze and thaw. */
public final class UnsteadyServer implements AutoCloseable {
    private final EmbeddedDatabase database;
    private final Cluster cluster;
    private final int port;

    private UnsteadyServer(EmbeddedDatabase database, Cluster cluster) {
        this.database = database;
        this.cluster = cluster;
        this.port = URI.create(database.url()).getPort();
    }

    /** Starts one with a directory of its own below {@code target}. */
    public static UnsteadyServer start(String name) {
        try {
            var home = TestFiles.directory(name);
            var database = EmbeddedDatabase.start(home);
            var programs = BinaryCache.forUser(home.toRealPath()).unpacked(Archive.forThisMachine());
            var cluster = new Cluster(
                    programs, UnprivilegedUser.detect(), home.toRealPath().resolve("postgres"));
            return new UnsteadyServer(database, cluster);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where it is, with its password. */
    public String url() {
        return database.url();
    }

    /** Ends it at once, as a crash would. */
    public void crash() {
        var server = postmaster();
        signal("QUIT", List.of(server));
        server.onExit().join();
    }

    /** Stops it in good order, whoever is connected. */
    public void stop() {
        try {
            cluster.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts it again after {@link #crash} or {@link #stop}. */
    public void startAgain() {
        try {
            assertThat(cluster.start(port)).as("PostgreSQL has started again").isTrue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Stops all its processes where they are: it takes connections and bytes, and answers nothing. */
    public void freeze() {
        signal("STOP", processes());
    }

    /** Lets it go on after {@link #freeze}. */
    public void thaw() {
        signal("CONT", processes());
    }

    private List<ProcessHandle> processes() {
        var server = postmaster();
        var all = new ArrayList<>(List.of(server));
        server.descendants().forEach(all::add);
        return all;
    }

    private ProcessHandle postmaster() {
        try {
            return Postmaster.on(cluster.directory()).orElseThrow().process();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void signal(String name, List<ProcessHandle> processes) {
        var words = new ArrayList<>(List.of("kill", "-" + name));
        processes.forEach(process -> words.add(Long.toString(process.pid())));
        var _ = Command.run(Path.of("."), words);
    }

    @Override
    public void close() {
        database.close();
    }
}
