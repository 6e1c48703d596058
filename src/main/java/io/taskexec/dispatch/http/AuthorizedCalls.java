package io.taskexec.dispatch.http;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.smallrye.mutiny.Uni;
import io.taskexec.dispatch.http.TokenAnswer.Refused;
import io.taskexec.dispatch.http.TokenAnswer.Token;
import io.taskexec.model.Fingerprint;
import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.endpoint.ClientCredentials;
import io.taskexec.model.endpoint.HttpAccess;
import io.taskexec.model.job.Failure;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** Makes calls that show who calls: by a TLS identity, by an access token, or by both. */
final class AuthorizedCalls {
    private static final int MOST_CLIENTS = 1_000;
    private static final Duration UNUSED = Duration.ofHours(1);
    private static final int UNAUTHORIZED = 401;

    private final HttpTransport transport;
    private final String userAgent;

    /** By all that their tokens depend on. */
    private final Cache<UUID, TokenSource> sources = Caffeine.newBuilder()
            .maximumSize(MOST_CLIENTS)
            .expireAfterAccess(UNUSED)
            .build();

    AuthorizedCalls(HttpTransport transport, String userAgent) {
        this.transport = transport;
        this.userAgent = userAgent;
    }

    /** As {@link HttpTransport#send}; the token is asked for within the call's timeout, by the same clients. */
    Uni<Outcome> send(HttpAccess access, HttpCall call, Map<String, String> headers) {
        var identity = access.tls();
        return identity == null
                ? send(transport.clients(), access, call, headers)
                : transport.identities().with(identity, clients -> send(clients, access, call, headers));
    }

    private Uni<Outcome> send(LoopClients by, HttpAccess access, HttpCall call, Map<String, String> headers) {
        var client = access.oauth2();
        return client == null
                ? transport.send(by, call, headers)
                : new WithToken(by, call, headers, client, source(access, client)).send();
    }

    private TokenSource source(HttpAccess access, ClientCredentials client) {
        var identity = access.tls();
        var key = Fingerprint.of(
                client.tokenUrl(),
                client.clientId(),
                client.clientSecret(),
                client.scope(),
                client.audience(),
                client.auth(),
                identity == null ? null : TlsClients.key(identity));
        return Objects.requireNonNull(sources.get(key, _ -> new TokenSource(System::nanoTime)));
    }

    /** A call that needs a token, and needs another one when the receiver refuses it. */
    private final class WithToken {
        private final long end;
        private final LoopClients by;
        private final HttpCall call;
        private final Map<String, String> headers;
        private final ClientCredentials client;
        private final TokenSource source;

        WithToken(
                LoopClients by,
                HttpCall call,
                Map<String, String> headers,
                ClientCredentials client,
                TokenSource source) {
            this.end = System.nanoTime() + call.timeout().toNanos();
            this.by = by;
            this.call = call;
            this.headers = headers;
            this.client = client;
            this.source = source;
        }

        Uni<Outcome> send() {
            var request = TokenRequest.of(client);
            return token(request).chain(answer -> switch (answer) {
                case Refused(var outcome) -> Uni.createFrom().item(outcome);
                case Token token ->
                    sendWith(token)
                            .chain(outcome -> isUnauthorized(outcome) && source.drop(token)
                                    ? sendAgain(request)
                                    : Uni.createFrom().item(outcome));
            });
        }

        private Uni<Outcome> sendAgain(HttpCall request) {
            return token(request).chain(answer -> switch (answer) {
                case Refused(var outcome) -> Uni.createFrom().item(outcome);
                case Token token -> sendWith(token);
            });
        }

        private Uni<TokenAnswer> token(HttpCall request) {
            return source.get(() -> fetch(request))
                    .ifNoItem()
                    .after(left())
                    .recoverWithItem(() -> new Refused(CallFailure.timedOut(call.timeout())));
        }

        private Uni<TokenAnswer> fetch(HttpCall request) {
            return transport
                    .send(by, request, TokenRequest.headers(client, userAgent))
                    .map(outcome -> TokenResponse.read(outcome, System.nanoTime()));
        }

        private Uni<Outcome> sendWith(Token token) {
            var authorized = new LinkedHashMap<>(headers);
            authorized.keySet().removeIf("Authorization"::equalsIgnoreCase);
            authorized.put("Authorization", "Bearer " + token.value());
            return transport
                    .send(by, call.within(left()), authorized)
                    .map(outcome -> ofWholeCall(outcome).redacted(token.redaction()::redact));
        }

        private Duration left() {
            var left = Duration.ofNanos(end - System.nanoTime());
            return left.compareTo(Duration.ofMillis(1)) < 0 ? Duration.ofMillis(1) : left;
        }

        /** The message names the timeout of the whole call, not the time that was left for its last part. */
        private Outcome ofWholeCall(Outcome outcome) {
            return outcome instanceof Outcome.RetryableFailure(var failure, var _)
                            && failure.type() == Failure.Type.TIMEOUT
                    ? CallFailure.timedOut(call.timeout())
                    : outcome;
        }

        private boolean isUnauthorized(Outcome outcome) {
            return outcome instanceof Outcome.PermanentFailure(var failure, var _, var _)
                    && Objects.equals(failure.statusCode(), UNAUTHORIZED);
        }
    }
}
