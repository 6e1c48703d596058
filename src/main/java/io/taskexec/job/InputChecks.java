package io.taskexec.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.request.ApiException;
import io.taskexec.request.ApiException.Detail;
import io.taskexec.request.ErrorCode;
import io.taskexec.schema.BudgetExceededException;
import io.taskexec.schema.CheckBudget;
import io.taskexec.schema.InputSchema;
import io.taskexec.schema.Violation;
import io.vertx.core.Vertx;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Compiles payload specs and checks inputs, however much both cost, without holding up other requests. A check that
 * takes next to nothing is done at once, on the event loop. One that turns out to take longer is begun anew in a lane
 * for short checks, and then in one for long ones, each with a thread of its own: so attackers hold up each other, and
 * short checks go on.
 */
@Singleton
public final class InputChecks {
    private static final Duration SHORT = Duration.ofMillis(50);

    /** Less than the whole time of a request, and about twice what the most steps take. */
    private static final Duration LONG = Duration.ofSeconds(4);

    /** With the time that it waits. */
    private static final Duration LONGEST_ANSWER = Duration.ofSeconds(10);

    private static final long MOST_BYTES = 64L << 20;

    /** Of bodies, since what was read from one may take many times its size. */
    private static final int PART_OF_MEMORY = 16;

    private final CheckLane shortChecks;
    private final CheckLane longChecks;

    InputChecks() {
        // Not a constant: a native executable is built on another machine.
        var bytes = Math.min(MOST_BYTES, Runtime.getRuntime().maxMemory() / PART_OF_MEMORY);
        shortChecks = new CheckLane("checks-short", SHORT, bytes);
        longChecks = new CheckLane("checks-long", LONG, bytes);
    }

    /**
     * Goes on with {@code then} when the payload spec of {@code schema} allows {@code input}. Fails with an
     * {@link ApiException} that lists everything that it forbids, or says that there was no time to find out.
     *
     * @param pointer where the input stands in the request's body
     */
    <T> Uni<T> checked(
            @Nullable InputSchema schema,
            @Nullable JsonNode input,
            String pointer,
            CheckTime time,
            Supplier<Uni<T>> then) {
        if (schema == null) {
            return then.get();
        }
        if (schema.isSmall()) {
            try {
                refuse(time.spendOnEventLoop(budget -> schema.validate(input, budget)), pointer);
                return then.get();
            } catch (BudgetExceededException _) {
                // What it takes is not known before.
            }
        }
        return run(time, budget -> schema.validate(input, budget))
                .onFailure(BudgetExceededException.class)
                .recoverWithItem(() -> List.of(new Violation("", "takes too long to check")))
                .chain(violations -> {
                    refuse(violations, pointer);
                    return then.get();
                });
    }

    /** Compiles a schema that is stored: it is small, and what is made of it is shared, so that it is never refused. */
    public Uni<InputSchema> compile(Function<CheckBudget, InputSchema> compiler) {
        return compile(new CheckTime("", 0), compiler);
    }

    /** Compiles a schema; fails with INVALID_SCHEMA when that takes too many steps. */
    public Uni<InputSchema> compile(CheckTime time, Function<CheckBudget, InputSchema> compiler) {
        return run(time, compiler)
                .onFailure(BudgetExceededException.class)
                .transform(_ -> new ApiException(
                        ErrorCode.INVALID_SCHEMA, "The schema is not usable: it takes too long to compile."));
    }

    private <T> Uni<T> run(CheckTime time, Function<CheckBudget, T> work) {
        var result = shortChecks
                .run(time, work)
                .onFailure(BudgetExceededException.class)
                .recoverWithUni(() -> longChecks.run(time, work))
                .onFailure(failure -> isOfTime(failure) && !time.isMessage())
                .transform(_ -> new ApiException(
                        ErrorCode.UNAVAILABLE, "The check did not end within its time. Please try again."))
                .ifNoItem()
                .after(LONGEST_ANSWER)
                .failWith(CheckLane::busy);
        var here = Vertx.currentContext();
        return here == null ? result : result.emitOn(command -> here.runOnContext(_ -> command.run()));
    }

    private static boolean isOfTime(Throwable failure) {
        return failure instanceof BudgetExceededException exceeded && exceeded.isOfTime();
    }

    private static void refuse(List<Violation> violations, String pointer) {
        if (!violations.isEmpty()) {
            throw new ApiException(
                    ErrorCode.INPUT_VALIDATION_FAILED,
                    "The input does not match the endpoint's payload spec.",
                    violations.stream()
                            .map(v -> new Detail(pointer + v.pointer(), v.message()))
                            .toList());
        }
    }
}
