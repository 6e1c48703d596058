package io.taskexec.dispatch.redis;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.taskexec.dispatch.http.CallFailure;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.delivery.StreamEntry;
import io.vertx.core.Vertx;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One entry on its way. Its steps run on different threads, one after the other; the timer and a cancellation may come in
 * between at any moment. Whoever sets {@code over} first decides the outcome, and the rest is ignored.
 */
final class RedisExchange {
    /** Nodes in a row that may send us on to another, as while a cluster changes. */
    private static final int MOST_REDIRECTIONS = 3;

    private final Vertx vertx;
    private final RedisConnections connections;
    private final StreamNodes nodes;
    private final RedisTarget target;
    private final StreamEntry entry;
    private final StreamScript script;
    private final UniEmitter<? super Outcome> emitter;
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicReference<@Nullable SharedConnection> held = new AtomicReference<>();
    private volatile long timer;

    RedisExchange(
            Vertx vertx,
            RedisConnections connections,
            StreamNodes nodes,
            RedisTarget target,
            StreamEntry entry,
            StreamScript script,
            UniEmitter<? super Outcome> emitter) {
        this.vertx = vertx;
        this.connections = connections;
        this.nodes = nodes;
        this.target = target;
        this.entry = entry;
        this.script = script;
        this.emitter = emitter;
    }

    /** Begins the delivery; the emitter gets its outcome. */
    void start() {
        timer = vertx.setTimer(Math.max(1, entry.timeout().toMillis()), _ -> timeOut());
        var _ = emitter.onTermination(this::abandon);
        ask(nodes.find(target, entry.stream()), 0);
    }

    private void ask(RedisTarget node, int redirections) {
        var shared = connections.take(node);
        if (shared == null) {
            finish(RedisFailure.tooManyConnections(node));
            return;
        }
        held.set(shared);
        if (over.get()) {
            giveBack();
            return;
        }
        var _ = shared.opening.thenCompose(this::add).whenComplete((id, failure) -> {
            if (failure == null) {
                finish(added(id));
            } else {
                failed(shared, redirections, unwrapped(failure));
            }
        });
    }

    private CompletionStage<String> add(StatefulRedisConnection<String, String> connection) {
        return over.get() ? CompletableFuture.failedStage(new CancellationException()) : script.run(connection.async());
    }

    private static Throwable unwrapped(Throwable failure) {
        var cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    private void failed(SharedConnection shared, int redirections, Throwable failure) {
        if (over.get()) {
            return;
        }
        if (failure instanceof RedisCommandExecutionException) {
            answered(shared.target, redirections, String.valueOf(failure.getMessage()));
        } else {
            connections.retire(shared);
            nodes.forget(target, entry.stream());
            finish(RedisFailure.classify(failure, shared.target));
        }
    }

    private void answered(RedisTarget node, int redirections, String error) {
        var next = nodes.learn(target, entry.stream(), node, error);
        if (next != null && redirections < MOST_REDIRECTIONS) {
            giveBack();
            ask(next, redirections + 1);
        } else {
            finish(RedisFailure.refused(error, node));
        }
    }

    private Outcome added(String id) {
        return new Outcome.Succeeded(
                JsonNodeFactory.instance.objectNode().put("message_id", id).put("stream", entry.stream()));
    }

    /** A connection on which no answer came is not for others; whether the entry was added, the next attempt finds out. */
    private void timeOut() {
        var shared = held.get();
        if (shared != null && shared.opening.isDone() && !over.get()) {
            connections.retire(shared);
            nodes.forget(target, entry.stream());
        }
        finish(CallFailure.timedOut(entry.timeout()));
    }

    private void finish(Outcome outcome) {
        if (over.compareAndSet(false, true)) {
            var _ = vertx.cancelTimer(timer);
            giveBack();
            emitter.complete(outcome);
        }
    }

    private void abandon() {
        if (over.compareAndSet(false, true)) {
            var _ = vertx.cancelTimer(timer);
            giveBack();
        }
    }

    private void giveBack() {
        var shared = held.getAndSet(null);
        if (shared != null) {
            connections.giveBack(shared);
        }
    }
}
