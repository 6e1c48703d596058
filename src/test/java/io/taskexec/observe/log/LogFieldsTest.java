package io.taskexec.observe.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.quarkus.vertx.core.runtime.VertxMDC;
import io.quarkus.vertx.mdc.provider.LateBoundMDCProvider;
import io.taskexec.model.TraceContext;
import io.taskexec.model.delivery.Claim;
import io.taskexec.testing.NewClaim;
import io.taskexec.testing.RecordedLog;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jboss.logging.Logger;
import org.jboss.logging.MDC;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class LogFieldsTest {
    private static final Logger LOG = Logger.getLogger(LogFieldsTest.class);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final UUID EXECUTION = UUID.fromString("01a1f88c-d314-7000-bf8f-b310aee6c296");
    private static final UUID JOB = UUID.fromString("01a1f88c-d314-7000-bf8f-b310aee6c297");
    private static final TraceContext TRACE =
            new TraceContext("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", true, null);

    /** As in the program: without that they would belong to threads. */
    @BeforeAll
    static void letFieldsBelongToContexts() {
        LateBoundMDCProvider.setMDCProviderDelegate(VertxMDC.INSTANCE);
    }

    private static Claim claim(@Nullable TraceContext trace) {
        return new NewClaim()
                .ids(EXECUTION, JOB)
                .attempt(2)
                .failures(1)
                .trace(trace)
                .claimed();
    }

    private static Map<String, Object> seen(LogFields fields) {
        var seen = new HashMap<String, Object>();
        fields.log(() -> seen.putAll(MDC.getMap()));
        return seen;
    }

    @Test
    void aLineOfAnAttemptHasItsIdsAndItsTrace() {
        assertThat(seen(LogFields.of(claim(TRACE))))
                .containsEntry("execution_id", "exec_01a1f88cd3147000bf8fb310aee6c296")
                .containsEntry("job_id", "job_01a1f88cd3147000bf8fb310aee6c297")
                .containsEntry("attempt", "2")
                .containsEntry("trace_id", "0af7651916cd43dd8448eb211c80319c");
        assertThat(seen(LogFields.of(claim(null)))).containsEntry("trace_id", "01a1f88cd3147000bf8fb310aee6c296");
    }

    @Test
    void aLineOfARequestHasItsIdAndItsTraceIfItHasOne() {
        assertThat(seen(LogFields.ofRequest("req_1", TRACE)))
                .containsEntry("request_id", "req_1")
                .containsKey("trace_id");
        assertThat(seen(LogFields.ofRequest("req_1", null))).doesNotContainKey("trace_id");
    }

    @Test
    void aLineThatIsWrittenOnAnEventLoopHasThemToo() {
        var vertx = Vertx.vertx();
        try (var log = RecordedLog.of(LogFieldsTest.class)) {
            var context = vertx.getOrCreateContext();
            var contextAfterwards = new CompletableFuture<Context>();
            context.runOnContext(_ -> {
                LogFields.of(claim(TRACE)).log(() -> LOG.info("of an attempt"));
                LOG.info("of none");
                contextAfterwards.complete(Vertx.currentContext());
            });

            assertThat(contextAfterwards).succeedsWithin(PATIENCE).isSameAs(context);
            assertThat(log.messages()).containsExactly("of an attempt", "of none");
            assertThat(log.lines().getFirst().fields())
                    .containsEntry("execution_id", "exec_01a1f88cd3147000bf8fb310aee6c296")
                    .containsEntry("job_id", "job_01a1f88cd3147000bf8fb310aee6c297")
                    .containsEntry("attempt", "2")
                    .containsEntry("trace_id", "0af7651916cd43dd8448eb211c80319c");
            assertThat(log.lines().getLast().fields()).isEmpty();
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    @Test
    void theNextLineHasNoneOfThem() {
        var _ = seen(LogFields.ofJob(JOB));

        assertThat(MDC.get("job_id")).isNull();
    }

    @Test
    void noneOfThemStaysWhenALineFails() {
        assertThatIllegalStateException()
                .isThrownBy(() -> LogFields.ofJob(JOB).log(() -> {
                    throw new IllegalStateException("on purpose");
                }))
                .withMessage("on purpose");

        assertThat(MDC.get("job_id")).isNull();
    }
}
