package io.taskexec.chaos;

import io.taskexec.chaos.Fault.Victim;
import io.taskexec.embedded.UnsteadyServer;
import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.ServerDb;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Three workers, two schedulers and two processes with the API, on one PostgreSQL server of their own. */
final class Fleet implements AutoCloseable {
    private final UnsteadyServer server = UnsteadyServer.start("chaos-database");
    private final ServerDb database = ServerDb.at(server.url());
    private final Program.Setup setup;
    private final Map<Victim, List<Member>> members;

    Fleet(Duration lease) throws InterruptedException {
        database.empty();
        setup = Program.serving(database)
                .with("TE_WORKER_LEASE_SEC", Long.toString(lease.toSeconds()))
                .with("TE_WORKER_SILENCE_SEC", "15")
                .with("TE_RECLAIM_INTERVAL_SEC", "1")
                // An open breaker keeps work waiting on purpose.
                .with("TE_BREAKER_FAILURE_PERCENT", "0")
                .with("TE_DB_POOL_SIZE", "6")
                .with("TE_DB_STATEMENT_TIMEOUT_MS", "5000");
        members = Map.of(
                Victim.API, start("api", 2),
                Victim.SCHEDULER, start("scheduler", 2),
                Victim.WORKER, start("worker", 3));
        for (var member : all().toList()) {
            member.awaitReady();
        }
    }

    private List<Member> start(String role, int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(n -> new Member(role + "-" + n, setup.arguments("--roles=" + role)))
                .toList();
    }

    UnsteadyServer server() {
        return server;
    }

    ServerDb database() {
        return database;
    }

    /** As every process of it is started. */
    Program.Setup setup() {
        return setup;
    }

    List<Member> members(Victim victim) {
        return members.getOrDefault(victim, List.of());
    }

    Stream<Member> all() {
        return members.values().stream().flatMap(List::stream);
    }

    /** One of the processes with the API; whether that one is alive is for the caller to find out. */
    Api api(int n) {
        var apis = members(Victim.API);
        return apis.get(n % apis.size()).api();
    }

    @Override
    public void close() {
        all().forEach(Member::close);
        server.close();
    }
}
