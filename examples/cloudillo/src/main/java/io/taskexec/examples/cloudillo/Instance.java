package io.taskexec.examples.cloudillo;

import io.taskexec.client.Taskexec;
import io.taskexec.client.worker.Worker;
import io.taskexec.examples.cloudillo.federation.Jwk;
import io.taskexec.examples.cloudillo.federation.Remote;
import io.taskexec.examples.cloudillo.http.Server;
import io.taskexec.examples.cloudillo.image.Images;
import io.taskexec.examples.cloudillo.store.Blobs;
import io.taskexec.examples.cloudillo.store.PrivateFile;
import io.taskexec.examples.cloudillo.store.Records;
import io.taskexec.examples.cloudillo.task.Schedule;
import io.taskexec.examples.cloudillo.task.TaskEndpoints;
import java.io.IOException;
import java.nio.file.Files;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Base64;

/** An instance that runs: its API, and the worker of its tasks. */
final class Instance implements AutoCloseable {
    private final Worker worker;
    private final Server server;
    private final String ownerToken;

    private Instance(Worker worker, Server server, String ownerToken) {
        this.worker = worker;
        this.server = server;
        this.ownerToken = ownerToken;
    }

    static Instance start(Settings settings, Taskexec client) throws IOException {
        var folder = Files.createDirectories(settings.folder());
        var site = new Site(
                settings.identity(),
                Jwk.parse(PrivateFile.open(
                        folder.resolve("key.json"), () -> Jwk.generate().write())),
                new Blobs(folder),
                new Records(folder),
                new Images(System.getenv().getOrDefault("PATH", "")),
                new Remote(settings.hosts()),
                Clock.systemUTC());
        var endpoints = new TaskEndpoints(settings.identity());
        var ownerToken = PrivateFile.open(folder.resolve("owner-token"), Instance::newToken);
        // The endpoints must exist before a request makes a job for them.
        var worker = endpoints.start(client, site);
        try {
            var server = new Server(site, new Schedule(client, endpoints), ownerToken, settings.address());
            return new Instance(worker, server, ownerToken);
        } catch (IOException e) {
            worker.close();
            throw e;
        }
    }

    private static String newToken() {
        var bytes = new byte[24];
        new SecureRandom().nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    int port() {
        return server.port();
    }

    String ownerToken() {
        return ownerToken;
    }

    /** Takes no more requests, then lets tasks end. */
    @Override
    public void close() {
        server.close();
        worker.close();
    }
}
