package io.taskexec.dispatch.redis;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.taskexec.dispatch.exchange.OneShot;
import io.taskexec.dispatch.exchange.SharedResource;
import io.taskexec.dispatch.exchange.SharedResources;
import io.taskexec.dispatch.http.CallFailure;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.delivery.StreamEntry;
import io.vertx.core.Vertx;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Delivers one entry. Its steps run on different threads, one after the other. */
final class RedisExchange extends OneShot {
    /** Nodes in a row that may send us on to another, as while a cluster changes. */
    private static final int MOST_REDIRECTIONS = 3;

    private static final Pattern ENTRY_ID = Pattern.compile("\\d{1,20}-\\d{1,20}");

    private final SharedResources<RedisTarget, StatefulRedisConnection<String, String>> connections;
    private final StreamNodes nodes;
    private final RedisTarget target;
    private final StreamEntry entry;
    private final StreamScript script;
    private final AtomicReference<@Nullable SharedResource<RedisTarget, StatefulRedisConnection<String, String>>> held =
            new AtomicReference<>();

    RedisExchange(
            Vertx vertx,
            SharedResources<RedisTarget, StatefulRedisConnection<String, String>> connections,
            StreamNodes nodes,
            RedisTarget target,
            StreamEntry entry,
            StreamScript script,
            UniEmitter<? super Outcome> emitter) {
        super(vertx, emitter);
        this.connections = connections;
        this.nodes = nodes;
        this.target = target;
        this.entry = entry;
        this.script = script;
    }

    @Override
    protected void begin() {
        ask(nodes.find(target, entry.stream()), 0);
    }

    private void ask(RedisTarget node, int redirections) {
        var shared = connections.acquire(node);
        if (shared == null) {
            finish(RedisFailure.tooManyConnections(node));
            return;
        }
        held.set(shared);
        if (isOver()) {
            release();
            return;
        }
        var _ = shared.opening().thenCompose(this::add).whenComplete((id, failure) -> {
            if (failure == null) {
                finish(added(id, shared.key()));
            } else {
                failed(shared, redirections, unwrapped(failure));
            }
        });
    }

    private CompletionStage<String> add(StatefulRedisConnection<String, String> connection) {
        return isOver() ? CompletableFuture.failedStage(new CancellationException()) : script.run(connection.async());
    }

    private static Throwable unwrapped(Throwable failure) {
        var cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    private void failed(
            SharedResource<RedisTarget, StatefulRedisConnection<String, String>> shared,
            int redirections,
            Throwable failure) {
        if (isOver()) {
            return;
        }
        if (failure instanceof RedisCommandExecutionException) {
            answered(shared, redirections, String.valueOf(failure.getMessage()));
        } else {
            connections.retire(shared);
            nodes.forget(target, entry.stream());
            finish(RedisFailure.classify(failure, shared.key()));
        }
    }

    private void answered(
            SharedResource<RedisTarget, StatefulRedisConnection<String, String>> shared,
            int redirections,
            String error) {
        var node = shared.key();
        var next = nodes.learn(target, entry.stream(), node, error);
        if (next != null && redirections < MOST_REDIRECTIONS) {
            release();
            ask(next, redirections + 1);
        } else {
            if (RedisFailure.isOfReplica(error)) {
                // Its name may lead to another server by now.
                connections.retire(shared);
                nodes.forget(target, entry.stream());
            }
            finish(RedisFailure.refused(error, node));
        }
    }

    /** The outcome of an answer. Only the id of an entry is stored, and no other text that the node has sent. */
    private Outcome added(@Nullable String id, RedisTarget node) {
        if (id == null || !ENTRY_ID.matcher(id).matches()) {
            return RedisFailure.noId(node);
        }
        return new Outcome.Succeeded(
                JsonNodeFactory.instance.objectNode().put("message_id", id).put("stream", entry.stream()));
    }

    /**
     * A connection on which no answer came is not for others; whether the entry was added, the next attempt finds
     * out.
     */
    @Override
    protected Outcome onTimeout() {
        var shared = held.get();
        if (shared != null && shared.ready() != null && !isOver()) {
            connections.retire(shared);
            nodes.forget(target, entry.stream());
        }
        return CallFailure.timedOut(entry.timeout());
    }

    @Override
    protected void release() {
        var shared = held.getAndSet(null);
        if (shared != null) {
            connections.release(shared);
        }
    }
}
