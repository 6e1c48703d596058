package io.taskexec.testing;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Holds a program that runs, and its database. */
record RunningServer(Program program, ServerDb db) {
    // These live as long as the JVM, as their PostgreSQL does: a run with several JVMs gives each class a root store of
    // its own. The program ends with the JVM.
    private static final Map<Set<String>, RunningServer> SHARED = new HashMap<>();

    /** The program with these settings that all classes of the JVM use; there is nothing in its database. */
    static synchronized RunningServer shared(ServerTest settings) throws InterruptedException {
        var key = new TreeSet<>(Arrays.asList(settings.env()));
        key.add(settings.roles());
        var server = SHARED.get(key);
        if (server == null || !server.program.isAlive()) {
            server = start("shared_" + SHARED.size(), settings);
            SHARED.put(key, server);
        }
        server.db.clear();
        return server;
    }

    /** Starts one with a database of this name, and waits until it is ready. */
    static RunningServer start(String name, ServerTest settings) throws InterruptedException {
        var db = ServerDb.fresh(name);
        var setup = Program.serving(db);
        if (!settings.roles().isEmpty()) {
            setup = setup.with("TE_ROLES", settings.roles());
        }
        for (var setting : settings.env()) {
            var parts = setting.split("=", 2);
            setup = setup.with(parts[0], parts[1]);
        }
        return new RunningServer(setup.startReady(), db);
    }
}
