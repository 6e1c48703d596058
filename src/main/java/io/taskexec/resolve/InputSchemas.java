package io.taskexec.resolve;

import com.fasterxml.jackson.databind.JsonNode;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.taskexec.model.endpoint.PayloadSpec;
import io.taskexec.model.job.Failure;
import io.taskexec.schema.BudgetExceededException;
import io.taskexec.schema.CheckBudget;
import io.taskexec.schema.InputSchema;
import io.taskexec.store.endpoint.PayloadSpecStore;
import io.vertx.core.Vertx;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Checks inputs that are only known when a job runs, away from the event loops. */
@Singleton
final class InputSchemas {
    private static final int MAX_ENTRIES = 1_000;
    private static final Duration LONGEST = Duration.ofSeconds(4);

    private final PayloadSpecStore payloadSpecs;
    private final Duration longest;
    private final Cache<Version, InputSchema> schemas =
            Caffeine.newBuilder().maximumSize(MAX_ENTRIES).build();

    /** One of a name that was deleted and made again has the same number, and another time. */
    private record Version(String name, int version, Instant createdAt) {}

    @Inject
    InputSchemas(PayloadSpecStore payloadSpecs) {
        this(payloadSpecs, LONGEST);
    }

    /** @param longest what the check of an input may take */
    InputSchemas(PayloadSpecStore payloadSpecs, Duration longest) {
        this.payloadSpecs = payloadSpecs;
        this.longest = longest;
    }

    /**
     * What is said of an input that the current version of a payload spec forbids, or that could not be checked; null
     * when it allows the input, or when there is none.
     */
    Uni<@Nullable JobInput> objection(@Nullable String spec, @Nullable JsonNode input) {
        if (spec == null) {
            return Uni.createFrom().nullItem();
        }
        var here = Vertx.currentContext();
        return payloadSpecs
                .find(spec)
                .chain(found -> found == null
                        ? Uni.createFrom().nullItem()
                        : check(found, input).emitOn(command -> {
                            if (here == null) {
                                command.run();
                            } else {
                                here.runOnContext(_ -> command.run());
                            }
                        }));
    }

    private Uni<@Nullable JobInput> check(PayloadSpec spec, @Nullable JsonNode input) {
        return Uni.createFrom()
                .<@Nullable JobInput>item(() -> objection(spec, input))
                .runSubscriptionOn(Infrastructure.getDefaultWorkerPool());
    }

    private @Nullable JobInput objection(PayloadSpec spec, @Nullable JsonNode input) {
        try {
            var schema = schemas.get(
                    new Version(spec.name(), spec.version(), spec.createdAt()),
                    _ -> InputSchema.compile(spec.schema(), budget()));
            return schema.validate(input, budget()).stream()
                    .findFirst()
                    .map(violation -> invalid("'%s' %s".formatted(violation.pointer(), violation.message())))
                    .orElse(null);
        } catch (BudgetExceededException e) {
            return e.isOfTime()
                    ? new JobInput.Unchecked("The input, with the values of its templates, could not be compared with"
                            + " the payload spec within %d ms.".formatted(longest.toMillis()))
                    : invalid("it takes too long to check");
        }
    }

    private static JobInput invalid(String refusal) {
        return new JobInput.Invalid(
                Failure.Type.INPUT_VALIDATION_FAILED,
                "The input, with the values of its templates, does not match the payload spec: " + refusal);
    }

    private CheckBudget budget() {
        return CheckBudget.of(CheckBudget.MOST_STEPS, longest);
    }
}
