package io.taskexec.dispatch.redis;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import io.taskexec.dispatch.http.InvalidCallException;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.StreamEntry;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The call of a script that adds an entry to a stream and remembers its id, or returns the id that it remembers.
 * Redis runs a script as one step, so that an execution adds one entry however often it is called, and by however
 * many workers.
 */
final class StreamScript {
    /**
     * KEYS: the stream, and where its entry is remembered. ARGV: for how many milliseconds, and what XADD is given
     * behind the stream. An error of XADD is handed on as it is: {@code call} would wrap it in words of its own.
     */
    private static final String TEXT = """
            local id = redis.call('GET', KEYS[2])
            if id then
              return id
            end
            id = redis.pcall('XADD', KEYS[1], unpack(ARGV, 2))
            if type(id) == 'table' then
              return id
            end
            redis.call('SET', KEYS[2], id, 'PX', ARGV[1])
            return id
            """;

    private static final String DIGEST = digest(TEXT);

    private final String[] keys;
    private final String[] arguments;

    /**
     * @param memory how long the entry is remembered
     * @throws InvalidCallException when a field has a name of ours
     */
    StreamScript(StreamEntry entry, Delivery delivery, Duration memory) {
        keys = new String[] {entry.stream(), DedupKey.of(entry.stream(), delivery.executionId())};
        arguments = arguments(entry, EntryFields.of(entry, delivery), memory).toArray(String[]::new);
    }

    private static List<String> arguments(StreamEntry entry, List<String> fields, Duration memory) {
        var arguments = new ArrayList<String>();
        arguments.add(Long.toString(memory.toMillis()));
        if (entry.maxLen() != null) {
            arguments.addAll(List.of("MAXLEN", entry.approximate() ? "~" : "=", Integer.toString(entry.maxLen())));
        }
        arguments.add("*");
        arguments.addAll(fields);
        return arguments;
    }

    /**
     * Runs it and returns the id of the entry. It is sent along when the server does not have it, which then keeps
     * it.
     */
    CompletionStage<String> run(RedisScriptingAsyncCommands<String, String> redis) {
        return redis.<String>evalsha(DIGEST, ScriptOutputType.VALUE, keys, arguments)
                .exceptionallyCompose(failure -> isUnknown(failure)
                        ? redis.eval(TEXT, ScriptOutputType.VALUE, keys, arguments)
                        : CompletableFuture.failedStage(failure));
    }

    private static boolean isUnknown(Throwable failure) {
        return failure instanceof RedisNoScriptException || failure.getCause() instanceof RedisNoScriptException;
    }

    private static String digest(String text) {
        try {
            var sha1 = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(sha1);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
