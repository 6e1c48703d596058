package io.taskexec.examples.cloudillo.federation;

import io.taskexec.client.worker.PermanentException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/** Writes a body to a stream, up to a size. With the size 0 it drops the body. */
final class BoundedBody implements BodySubscriber<@Nullable Void> {
    private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
    private final long maxBytes;
    private final OutputStream out;
    private long size;
    private @Nullable Subscription subscription;

    BoundedBody(long maxBytes, OutputStream out) {
        this.maxBytes = maxBytes;
        this.out = out;
    }

    @Override
    public CompletionStage<@Nullable Void> getBody() {
        return end;
    }

    @Override
    public void onSubscribe(Subscription body) {
        subscription = body;
        if (maxBytes == 0) {
            body.cancel();
            end.complete(null);
        } else {
            body.request(Long.MAX_VALUE);
        }
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        try {
            for (var buffer : buffers) {
                var bytes = new byte[buffer.remaining()];
                buffer.get(bytes);
                size += bytes.length;
                if (size > maxBytes) {
                    throw new PermanentException(
                            "The answer has more than %d bytes.".formatted(maxBytes), "ANSWER_TOO_LARGE", null);
                }
                out.write(bytes);
            }
        } catch (IOException | PermanentException e) {
            if (subscription != null) {
                subscription.cancel();
            }
            end.completeExceptionally(e);
        }
    }

    @Override
    public void onError(Throwable failure) {
        end.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        end.complete(null);
    }
}
