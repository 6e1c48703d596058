package io.taskexec.examples.cloudillo.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.taskexec.client.TaskexecException;
import io.taskexec.client.worker.PermanentException;
import io.taskexec.examples.cloudillo.Site;
import io.taskexec.examples.cloudillo.federation.ActionToken;
import io.taskexec.examples.cloudillo.store.ContentId;
import io.taskexec.examples.cloudillo.task.Schedule;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** Serves the API of an instance. Other instances need no key: what they say is verified by a task. */
public final class Server implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Server.class.getName());
    private static final int THREADS = 16;

    private final Site site;
    private final Schedule schedule;
    private final OwnerApi owner;
    private final String ownerToken;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    /**
     * Begins to listen.
     *
     * @param ownerToken what the owner's requests have as {@code Authorization: Bearer}
     * @param address where to listen; port 0 for a free one
     */
    public Server(Site site, Schedule schedule, String ownerToken, InetSocketAddress address) throws IOException {
        this.site = site;
        this.schedule = schedule;
        this.owner = new OwnerApi(site, schedule);
        this.ownerToken = ownerToken;
        server = HttpServer.create(address, 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    /** Returns the port that it listens on. */
    public int port() {
        return server.getAddress().getPort();
    }

    private void handle(HttpExchange exchange) throws IOException {
        var call = new Call(exchange);
        try (exchange) {
            try {
                answer(call);
            } catch (Refusal e) {
                call.answer(e.status(), e.code(), e.getMessage());
            } catch (PermanentException e) {
                call.answer(400, String.valueOf(e.code()), e.getMessage());
            } catch (TaskexecException e) {
                LOG.log(Level.WARNING, "taskexec has refused a job", e);
                call.answer(503, "TASKEXEC_FAILED", e.getMessage());
            } catch (IOException | RuntimeException e) {
                LOG.log(Level.WARNING, "a request has failed", e);
                call.answer(500, "INTERNAL", "See the log.");
            }
        }
    }

    private void answer(Call call) throws IOException {
        var path = call.path();
        var route = call.method() + " " + path[0] + (path.length == 1 ? "" : "/" + (path.length == 2 ? "*" : "?"));
        switch (route) {
            case "GET me/*" -> keys(call, path[1]);
            case "GET files/*" -> file(call, path[1]);
            case "POST inbox" -> receive(call);
            default -> {
                authorize(call);
                answerOwner(call, route, path);
            }
        }
    }

    private void answerOwner(Call call, String route, String[] path) throws IOException {
        switch (route) {
            case "POST files" -> call.answer(202, owner.upload(call));
            case "GET uploads/*" -> call.answer(200, owner.upload(path[1]));
            case "POST actions" -> call.answer(202, owner.publish(call.json(OwnerApi.NewAction.class)));
            case "GET actions" -> call.answer(200, owner.actions("actions"));
            case "GET inbox" -> call.answer(200, owner.actions("inbox"));
            case "PUT contacts/*" -> call.answer(200, owner.put(path[1], call.json(JsonNode.class)));
            default -> throw Refusal.notFound("There is no such route.");
        }
    }

    private void authorize(Call call) {
        var given = call.header("Authorization", "").getBytes(StandardCharsets.UTF_8);
        var wanted = ("Bearer " + ownerToken).getBytes(StandardCharsets.UTF_8);
        if (!MessageDigest.isEqual(given, wanted)) {
            throw new Refusal(401, "UNAUTHORIZED", "This is for the owner.");
        }
    }

    private void keys(Call call, String name) throws IOException {
        if (!name.equals("keys")) {
            throw Refusal.notFound("There is no such route.");
        }
        call.answer(200, Map.of("keys", List.of(site.key().withoutPrivatePart())));
    }

    private void file(Call call, String id) throws IOException {
        if (!ContentId.isFileId(id) || !site.blobs().has(id)) {
            throw Refusal.notFound("There is no file " + id + ".");
        }
        call.answer(site.blobs().path(id));
    }

    /** The body of a delivery. */
    private record Delivery(@Nullable String token) {}

    private void receive(Call call) throws IOException {
        var token = call.json(Delivery.class).token();
        if (token == null) {
            throw Refusal.badRequest("There must be a token.");
        }
        // What is no token at all makes no job.
        ActionToken.parse(token);
        schedule.verify(token);
        call.answer(202, Map.of("actionId", ContentId.ofToken(token)));
    }

    /** Stops at once. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
