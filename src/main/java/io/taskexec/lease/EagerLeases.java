package io.taskexec.lease;

import io.taskexec.model.delivery.Claim;
import io.taskexec.store.execution.PulledClaims.Pulled;
import io.taskexec.store.job.EagerStarts;
import io.taskexec.store.job.EagerStarts.Place;
import io.taskexec.store.job.NewJob;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal.Work;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Gives what this process creates to pull workers that wait here, while nothing else is due for them. */
@Singleton
public final class EagerLeases implements EagerStarts.Starter {
    private final EagerStarts starts;
    private final LeaseBroker broker;
    private final WaitingCalls calls;
    private final PullClaims claims;

    EagerLeases(EagerStarts starts, LeaseBroker broker, WaitingCalls calls, PullClaims claims) {
        this.starts = starts;
        this.broker = broker;
        this.calls = calls;
        this.claims = claims;
    }

    /** From now on calls that wait are answered with what is created. */
    public void start() {
        starts.startWith(Work.PULLED, this);
    }

    @Override
    public @Nullable Place place(NewJob job, int lane) {
        var call = broker.take(job.endpoint(), Lanes.priority(lane));
        return call == null ? null : new Turn(job, call);
    }

    /** A call that is kept for one execution. */
    private final class Turn implements Place {
        private final NewJob job;
        private final PullCall call;

        Turn(NewJob job, PullCall call) {
            this.job = job;
            this.call = call;
        }

        @Override
        public UUID workerId() {
            return call.workerId();
        }

        @Override
        public Duration lease() {
            return call.request().lease();
        }

        @Override
        public void fill(Claim claim, long askedAt) {
            var input = job.storedInput();
            var size = input == null ? 0 : input.length();
            var pulled = new Pulled(claim, job.priority(), List.copyOf(job.tags()), size, false);
            claims.give(call, pulled, askedAt).subscribe().with(_ -> given(), _ -> {
                calls.handBackClaims(List.of(claim));
                broker.giveBack(call);
            });
        }

        // Of what is not to be run, nothing was given.
        private void given() {
            if (call.got().isEmpty()) {
                broker.giveBack(call);
            } else {
                broker.answer(call);
            }
        }

        @Override
        public void leaveEmpty(@Nullable Long doubted) {
            if (doubted != null) {
                claims.mayBeLeased(job.id(), doubted, lease());
            }
            broker.giveBack(call);
        }
    }
}
