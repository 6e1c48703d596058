package io.taskexec.lease;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.ProgramClock;
import io.taskexec.model.TraceContext;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.lease.CancelReason;
import io.taskexec.resolve.CallbackAddresses;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a request for leases.
 *
 * @param cancelled attempts that the worker is to stop
 */
public record HandedOut(List<Lease> leases, List<Cancelled> cancelled) {
    /**
     * A lease.
     *
     * @param name by which its holder names it
     * @param expiresIn how long it holds from now on
     * @param deadline the end of the attempt, whatever extensions it gets
     * @param parents the results of the job's parents, as templates see them
     * @param callbackUrl where the attempt may be ended once it is deferred
     */
    public record Lease(
            String name,
            Claim claim,
            @Nullable JsonNode input,
            int priority,
            List<String> tags,
            Duration expiresIn,
            @Nullable Instant deadline,
            @Nullable TraceContext trace,
            @Nullable UUID workflow,
            @Nullable JsonNode parents,
            @Nullable String callbackUrl) {
        static Lease of(PullCall.Handed handed, long now, CallbackAddresses addresses) {
            var lease = handed.lease();
            var claim = lease.claim();
            var left = lease.untilDeadline(now);
            var run = claim.options().run();
            var completion = lease.resultSettings().completion();
            var takesCallbacks = completion != null && completion.takesCallbacks() && addresses.areKnown();
            return new Lease(
                    lease.token().toText(),
                    claim,
                    handed.resolution().input(),
                    handed.pulled().priority(),
                    handed.pulled().tags(),
                    lease.left(now),
                    left == null ? null : ProgramClock.now().plus(left),
                    claim.trace(),
                    run == null ? null : run.id(),
                    handed.resolution().parents(),
                    takesCallbacks ? addresses.ofCallback(claim.executionId(), claim.attempt()) : null);
        }
    }

    /** An attempt that its worker is to stop. */
    public record Cancelled(String lease, UUID executionId, CancelReason reason) {}
}
