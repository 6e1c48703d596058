package io.taskexec.dispatch.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.netty.handler.codec.DecoderException;
import io.taskexec.dispatch.egress.EgressBlockedException;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisFailureTest {
    private static final RedisTarget TARGET = RedisTarget.of("redis://:secret@r.example");

    private static Failure retryable(Throwable failure) {
        return RedisTestBed.retryable(RedisFailure.classify(new CompletionException(failure), TARGET));
    }

    private static void assertAnswer(Failure failure, String answer) {
        assertThat(failure).isEqualTo(new Failure(Failure.Type.STREAM_ERROR, "r.example:6379 answered: " + answer));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "WRONGTYPE Operation against a key holding the wrong kind of value",
                "NOPERM this user has no permissions to run the 'evalsha' command",
                "NOAUTH Authentication required.",
                "WRONGPASS invalid username-password pair or user is disabled.",
                "ERR value is not an integer or out of range",
                "ERR invalid password",
                "CROSSSLOT Keys in request don't hash to the same slot",
                "The user executing the script can't run this command or subcommand"
            })
    void anAnswerThatWouldComeAgainIsAPermanentFailure(String answer) {
        assertAnswer(RedisTestBed.permanent(RedisFailure.refused(answer, TARGET)), answer);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LOADING Redis is loading the dataset in memory",
                "BUSY Redis is busy running a script.",
                "READONLY You can't write against a read only replica.",
                "CLUSTERDOWN The cluster is down",
                "OOM command not allowed when used memory > 'maxmemory'.",
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
                "TRYAGAIN Multiple keys request during rehashing of slot",
                "ASK 1 10.0.0.1:6379",
                "MISCONF Redis is configured to save RDB snapshots",
                "NOREPLICAS Not enough good replicas to write.",
                "ERR max number of clients reached"
            })
    void aTransientAnswerIsARetryableFailure(String answer) {
        assertAnswer(RedisTestBed.retryable(RedisFailure.refused(answer, TARGET)), answer);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ERR Error running script (call to f_a0b1): @user_script:5: @user_script: 5: -OOM command not allowed"
                        + " when used memory > 'maxmemory'.",
                "@user_script: 5: -OOM command not allowed when used memory > 'maxmemory'.\r\n",
                "ERR Error running script (call to f_a0b1): @user_script:5: OOM command not allowed"
                        + " when used memory > 'maxmemory'."
            })
    void whereInTheScriptAnErrorAroseDoesNotMatter(String answer) {
        assertAnswer(
                RedisTestBed.retryable(RedisFailure.refused(answer, TARGET)),
                "OOM command not allowed when used memory > 'maxmemory'.");
    }

    @Test
    void whatKeepsAConnectionFromBeingOpenedIsToldWithoutAddresses() {
        assertThat(retryable(new RedisConnectionException(
                        "Unable to connect to r.example",
                        new ConnectException("Connection refused: r.example/10.1.2.3:6379"))))
                .isEqualTo(new Failure(
                        Failure.Type.CONNECTION_ERROR, "Cannot connect to r.example:6379: Connection refused"));
        assertThat(retryable(new RedisConnectionException("no", new UnknownHostException("r.example")))
                        .message())
                .isEqualTo("Unknown host r.example");
        assertThat(retryable(new RedisConnectionException(
                                "no", new DecoderException(new SSLHandshakeException("bad\ncert"))))
                        .message())
                .isEqualTo("TLS with r.example:6379 failed: bad cert");
        assertThat(retryable(new RedisException("Connection disconnected")).message())
                .isEqualTo("The connection to r.example:6379 broke: Connection disconnected");
    }

    @Test
    void aRefusalOfTheGuardIsAPermanentFailure() {
        var blocked = new RedisConnectionException("no", new EgressBlockedException("r.example is not to be called"));

        assertThat(RedisFailure.classify(blocked, TARGET))
                .isEqualTo(new Outcome.PermanentFailure(
                        new Failure(Failure.Type.EGRESS_BLOCKED, "r.example is not to be called")));
    }

    @Test
    void noMessageHasCharactersThatTheDatabaseCannotHave() {
        var target = new RedisTarget(false, "a\u0000b", 1, null, null, 0);

        for (var failure :
                List.of(new UnknownHostException("no"), new ConnectException("no"), new SSLHandshakeException("no"))) {
            assertThat(RedisTestBed.retryable(RedisFailure.classify(failure, target))
                            .message())
                    .contains("a b");
        }
        assertThat(RedisTestBed.permanent(
                                RedisFailure.classify(new EgressBlockedException("a\u0000b is denied"), target))
                        .message())
                .isEqualTo("a b is denied");
    }

    @Test
    void aLoginThatIsRefusedIsAnAnswer() {
        var refused = new RedisConnectionException(
                "no", new RedisCommandExecutionException("NOAUTH Authentication required."));

        assertAnswer(RedisTestBed.permanent(RedisFailure.classify(refused, TARGET)), "NOAUTH Authentication required.");
    }
}
