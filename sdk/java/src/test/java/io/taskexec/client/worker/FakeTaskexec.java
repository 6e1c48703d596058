package io.taskexec.client.worker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.client.Json;
import io.taskexec.client.StubServer;
import io.taskexec.client.StubServer.Call;
import io.taskexec.client.StubServer.Reply;
import io.taskexec.client.Taskexec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Hands out leases as the contract of the lease API says, and remembers how they end. */
public final class FakeTaskexec implements AutoCloseable {
    private static final Duration LONGEST_WAIT = Duration.ofMillis(200);

    private final List<ObjectNode> due = new ArrayList<>();
    private final AtomicInteger number = new AtomicInteger();
    private final Set<String> held = ConcurrentHashMap.newKeySet();
    private final Map<String, String> cancelled = new ConcurrentHashMap<>();
    private final Set<String> told = ConcurrentHashMap.newKeySet();
    private final List<Ended> ended = new CopyOnWriteArrayList<>();
    private final List<Call> polls = new CopyOnWriteArrayList<>();
    private final List<Call> extensions = new CopyOnWriteArrayList<>();
    private final Set<String> registered = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Function<Call, @Nullable Reply> before;
    private volatile Duration longestWait = LONGEST_WAIT;
    private final StubServer server = new StubServer(this::answer);

    /** The end of a lease. */
    public record Ended(String lease, String action, JsonNode item) {}

    public Taskexec client() {
        return server.client();
    }

    public String url() {
        return server.url();
    }

    public List<Ended> ended() {
        return List.copyOf(ended);
    }

    public List<Ended> ended(String lease) {
        return ended.stream().filter(end -> end.lease().equals(lease)).toList();
    }

    public List<Call> polls() {
        return List.copyOf(polls);
    }

    public List<Call> extensions() {
        return List.copyOf(extensions);
    }

    public Set<String> registered() {
        return new HashSet<>(registered);
    }

    public Set<String> held() {
        return new HashSet<>(held);
    }

    /** Whether nothing is due and nothing leased. */
    public boolean isDone() {
        synchronized (due) {
            return due.isEmpty() && held.isEmpty();
        }
    }

    /** Answers some requests in another way. */
    public void before(Function<Call, @Nullable Reply> other) {
        before = other;
    }

    /** Lets requests wait for as long as they ask, as a real server does, even when the connection is lost. */
    public void waitAsAsked() {
        longestWait = Duration.ofMinutes(1);
    }

    public String add(String endpoint, Object input) {
        return add(endpoint, input, 4, Map.of());
    }

    public String add(String endpoint, Object input, int priority, Map<String, ?> more) {
        var n = number.incrementAndGet();
        ObjectNode lease = Json.data().createObjectNode();
        lease.put("lease", "lease-" + n)
                .put("execution_id", "exec_" + n)
                .put("job_id", "job_" + n)
                .put("endpoint", endpoint)
                .put("endpoint_version", 1)
                .put("attempt", 1)
                .put("priority", priority)
                .put("expires_in", "PT60S");
        lease.set("input", Json.data().valueToTree(input));
        more.forEach((name, value) -> lease.set(name, Json.data().valueToTree(value)));
        synchronized (due) {
            due.add(lease);
            due.notifyAll();
        }
        return "lease-" + n;
    }

    public void cancel(String lease, String reason) {
        cancelled.put(lease, reason);
    }

    public void lose(String lease) {
        held.remove(lease);
    }

    private Reply answer(Call call) {
        var other = before;
        var reply = other == null ? null : other.apply(call);
        if (reply != null) {
            return reply;
        }
        return switch (call.path()) {
            case "/leases" -> lease(call);
            case "/leases/extend" -> extend(call);
            case "/leases/complete", "/leases/fail", "/leases/defer", "/leases/release" -> end(call);
            case "/jobs" -> job(call);
            case "/endpoints" -> {
                registered.add(call.body().path("name").asText());
                yield Reply.of(201, call.body().toString());
            }
            default -> Reply.error(404, "ENDPOINT_NOT_FOUND");
        };
    }

    private Reply job(Call call) {
        add(call.body().path("endpoint").asText(), call.body().path("input"));
        return Reply.of(201, "{\"job_id\": \"job_1\"}");
    }

    private Reply lease(Call call) {
        if (call.body().path("full").asBoolean()) {
            return tell(call);
        }
        polls.add(call);
        var body = call.body();
        var wanted = new HashSet<String>();
        body.path("endpoints").forEach(endpoint -> wanted.add(endpoint.asText()));
        var answer = Json.data().createObjectNode();
        var leases = answer.putArray("leases");
        take(wanted, call, leases);
        answer.putArray("cancelled");
        return Reply.of(200, answer.toString());
    }

    /** Says what a worker is to stop, or nothing after a while. */
    private Reply tell(Call call) {
        var end = endOfWait(call);
        synchronized (due) {
            while (told.containsAll(cancelled.keySet()) && System.nanoTime() - end < 0) {
                awaitDue();
            }
        }
        var answer = Json.data().createObjectNode();
        answer.putArray("leases");
        var items = answer.putArray("cancelled");
        cancelled.forEach((lease, reason) -> {
            if (told.add(lease)) {
                items.addObject().put("lease", lease).put("reason", reason);
            }
        });
        return Reply.of(200, answer.toString());
    }

    private long endOfWait(Call call) {
        var asked = Duration.parse(call.body().path("wait").asText());
        return System.nanoTime() + Math.min(asked.toNanos(), longestWait.toNanos());
    }

    private void take(Set<String> wanted, Call call, ArrayNode leases) {
        var leastUrgent = call.body().path("least_urgent").asInt(7);
        var max = call.body().path("max").asInt();
        var end = endOfWait(call);
        synchronized (due) {
            while (leases.isEmpty() && System.nanoTime() - end < 0) {
                for (var found = due.iterator(); found.hasNext() && leases.size() < max; ) {
                    var lease = found.next();
                    if (wanted.contains(lease.path("endpoint").asText())
                            && lease.path("priority").asInt() <= leastUrgent) {
                        found.remove();
                        held.add(lease.path("lease").asText());
                        leases.add(lease);
                    }
                }
                if (leases.isEmpty()) {
                    awaitDue();
                }
            }
        }
    }

    private void awaitDue() {
        try {
            due.wait(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private Reply extend(Call call) {
        extensions.add(call);
        return results(call, (item, result) -> {
            var lease = item.path("lease").asText();
            result.put("expires_in", "PT60S").put("cancel", cancelled.get(lease));
        });
    }

    private Reply end(Call call) {
        var action = call.path().substring("/leases/".length());
        return results(call, (item, result) -> {
            ended.add(new Ended(item.path("lease").asText(), action, item));
            held.remove(item.path("lease").asText());
        });
    }

    private interface Effect {
        void apply(JsonNode item, ObjectNode result);
    }

    private Reply results(Call call, Effect effect) {
        var answer = Json.data().createObjectNode();
        var results = answer.putArray("results");
        for (var item : call.body().path("leases")) {
            var lease = item.path("lease").asText();
            var result = results.addObject().put("lease", lease);
            if (held.contains(lease)) {
                result.put("status", "OK");
                effect.apply(item, result);
            } else {
                result.put("status", "ERROR")
                        .putObject("error")
                        .put("code", "LEASE_LOST")
                        .put("message", "Lost.");
            }
        }
        return Reply.of(200, answer.toString());
    }

    @Override
    public void close() {
        server.close();
    }
}
