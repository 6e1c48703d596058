package io.taskexec.dispatch.http;

import io.netty.handler.codec.http2.Http2Exception;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.taskexec.dispatch.exchange.OneShot;
import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.delivery.Outcome;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Makes one call. Its steps run on different threads, one after the other; the request is set while it is under way.
 */
final class HttpExchange extends OneShot {
    private static final Logger LOG = Logger.getLogger(HttpExchange.class);

    private static final long CANCEL = 0x8;

    private final HttpTransport transport;
    private final HttpTarget target;
    private final RequestOptions options;
    private final HttpCall call;
    private final Map<String, String> headers;
    private final HttpClient client;
    private final BodyCapture body = new BodyCapture();
    private volatile @Nullable HttpClientRequest request;
    private volatile boolean answering;
    private volatile boolean sentAgain;

    HttpExchange(
            HttpTransport transport,
            HttpClient client,
            HttpTarget target,
            RequestOptions options,
            HttpCall call,
            Map<String, String> headers,
            UniEmitter<? super Outcome> emitter) {
        super(transport.vertx(), emitter);
        this.transport = transport;
        this.client = client;
        this.target = target;
        this.options = options;
        this.call = call;
        this.headers = headers;
    }

    @Override
    protected void begin() {
        connect();
    }

    private void connect() {
        var guard = transport.guard();
        var check = isProxied() ? guard.checkForProxy(target.host()) : guard.check(target.host());
        var _ = check.subscribe().with(this::checked, this::unchecked);
    }

    /** To the address that was checked, under the name that was asked for; a proxy looks the name up itself. */
    private void checked(InetAddress address) {
        request(isProxied() ? target.host() : address.getHostAddress());
    }

    /** A name that does not resolve here may do so where the proxy is. */
    private void unchecked(Throwable failure) {
        if (isProxied() && failure instanceof UnknownHostException) {
            request(target.host());
        } else {
            fail(failure);
        }
    }

    private boolean isProxied() {
        return options.getProxyOptions() != null;
    }

    private void request(String host) {
        options.setServer(SocketAddress.inetSocketAddress(target.port(), host));
        try {
            client.request(options).onComplete(this::send, this::fail);
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private void send(HttpClientRequest ready) {
        request = ready;
        if (isOver()) {
            giveBack(ready);
            return;
        }
        headers.forEach(ready.headers()::set);
        ready.response().onComplete(this::receive, failure -> fail(ready, failure));
        var sent = call.body() == null ? ready.end() : ready.end(call.body());
        sent.onFailure(failure -> fail(ready, failure));
    }

    /** Returns the place of a request that was never sent. */
    private void giveBack(HttpClientRequest unsent) {
        // Its failure would be printed.
        unsent.exceptionHandler(_ -> {});
        if (unsent.version() == HttpVersion.HTTP_2) {
            // A stream that has not begun cannot be reset: its place would be taken for ever.
            transport.reused().retire(unsent.connection());
        }
        release();
    }

    private void receive(HttpClientResponse response) {
        answering = true;
        transport.probe().heard(response.request().connection());
        // Also of an interim answer, whose reset the client would print otherwise.
        response.exceptionHandler(failure -> fail(response.request(), failure));
        if (HttpAnswer.isInterim(response.statusCode())) {
            // 100 and 103 do not come here.
            finish(outcome(response));
            return;
        }
        response.handler(part -> {
            body.add(part);
            if (body.isTruncated()) {
                finish(outcome(response));
            }
        });
        response.endHandler(_ -> complete(response));
    }

    private void complete(HttpClientResponse response) {
        transport.reused().add(response.request().connection());
        // It is complete: there is nothing to reset.
        request = null;
        finish(outcome(response));
    }

    private Outcome outcome(HttpClientResponse response) {
        if (response.statusCode() == HttpAnswer.PROXY_DEMANDS && isProxied() && !target.tls()) {
            return CallFailure.refusedByProxy();
        }
        var deferral = response.statusCode() == HttpCall.ACCEPTED
                ? response.headers().getAll(DeferHeader.NAME)
                : List.<String>of();
        var completion = call.completion();
        if (!deferral.isEmpty() && completion != null) {
            return DeferHeader.read(String.join(", ", deferral), response.getHeader("Location"), call, completion);
        }
        if (!deferral.isEmpty()) {
            LOG.infof("%s of %s is ignored: its endpoint has no completion", DeferHeader.NAME, target.host());
        }
        var retryAfter = RetryAfter.parse(response.getHeader("Retry-After"), Instant.now());
        var reason = response.statusMessage() == null ? "" : response.statusMessage();
        var noRetry = "true".equalsIgnoreCase(response.getHeader("Taskexec-No-Retry"));
        return new HttpAnswer(response.statusCode(), reason, retryAfter, noRetry, body.text(), body.isTruncated())
                .classify(call.expectedStatusCodes());
    }

    @Override
    protected Outcome onTimeout() {
        var sent = request;
        if (sent != null && sent.version() == HttpVersion.HTTP_2) {
            transport.probe().ask(sent.connection());
        }
        return CallFailure.timedOut(call.timeout());
    }

    /** One broken connection may be reported several times; only the first report about the current request counts. */
    private void fail(HttpClientRequest broken, Throwable failure) {
        if (!broken.equals(request)) {
            return;
        }
        if (failure instanceof Http2Exception) {
            // The place of a stream that could not begin would be taken for ever.
            transport.reused().retire(broken.connection());
        }
        if (isWorthAnother(broken, failure)) {
            request = null;
            connect();
        } else {
            fail(failure);
        }
    }

    private void fail(Throwable failure) {
        finish(failure instanceof TimeoutException ? onTimeout() : CallFailure.classify(failure, target, isProxied()));
    }

    /**
     * Whether a reused connection turned out to be closed, or to take no more. Then the request goes out once more
     * within the same attempt, which its idempotency key allows (RFC 9110, 9.2.2); most endpoints have no second
     * attempt to lose. Another kept connection may be closed in the same way, and a receiver that does not answer what
     * it cannot process would be sent it on each of them.
     */
    private boolean isWorthAnother(HttpClientRequest broken, Throwable failure) {
        if (answering || isOver() || sentAgain || !transport.reused().contains(broken.connection())) {
            return false;
        }
        sentAgain = StreamFailure.isRefusal(failure)
                || StreamFailure.cannotBegin(failure)
                || (StreamFailure.isClosed(failure) && !call.sentOnce());
        return sentAgain;
    }

    /** Resets what is under way: the connection of HTTP/1.1, the stream of HTTP/2. */
    @Override
    protected void release() {
        var sent = request;
        if (sent != null) {
            var _ = sent.reset(CANCEL);
        }
    }
}
