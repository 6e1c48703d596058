package io.taskexec.lease;

import io.smallrye.mutiny.CompositeException;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.wait.DeferralMode;
import io.taskexec.model.wait.DeferralTerms;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.resolve.CallbackAddresses;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.wait.ReportStore;
import io.taskexec.wait.CallbackRequest;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Extends and ends leases of pull workers, each of them for itself. */
@Singleton
final class LeaseActions {
    private final LeaseFinder finder;
    private final HeldLeases held;
    private final LeaseStore leases;
    private final ReportStore reports;
    private final LeaseEnds ends;
    private final CallbackAddresses addresses;
    private final LeaseMetrics metrics;

    LeaseActions(
            LeaseFinder finder,
            HeldLeases held,
            LeaseStore leases,
            ReportStore reports,
            LeaseEnds ends,
            CallbackAddresses addresses,
            LeaseMetrics metrics) {
        this.finder = finder;
        this.held = held;
        this.leases = leases;
        this.reports = reports;
        this.ends = ends;
        this.addresses = addresses;
        this.metrics = metrics;
    }

    Uni<List<LeaseResult>> extend(LeaseItem.Extension extension, Predicate<String> mayWork) {
        return finder.find(extension.items()).chain(found -> {
            var askedAt = System.nanoTime();
            var own = latest(found.values().stream()
                    .filter(lease -> mayWork.test(lease.claim().endpoint())));
            var inTime = own.stream().filter(lease -> !lease.isOverdue(askedAt)).toList();
            return ends.endOverdue(own, askedAt)
                    .chain(() -> extend(inTime, extension.lease()))
                    .call(extended ->
                            finder.adopt(extended, askedAt + extension.lease().toNanos()))
                    .chain(extended -> each(
                            extension.items(),
                            found,
                            mayWork,
                            (item, lease) -> extended.contains(lease)
                                    ? extended(item, lease)
                                    : Uni.createFrom().item(lost(lease))));
        });
    }

    /** Of two attempts of one execution only the later can hold its lease. */
    private static List<HeldLease> latest(Stream<HeldLease> some) {
        return List.copyOf(some.collect(Collectors.toMap(
                        lease -> lease.claim().executionId(),
                        Function.identity(),
                        BinaryOperator.maxBy(Comparator.comparingInt(
                                (HeldLease lease) -> lease.claim().attempt()))))
                .values());
    }

    /** Returns those that are still held. */
    private Uni<Set<HeldLease>> extend(List<HeldLease> some, Duration time) {
        return some.isEmpty()
                ? Uni.createFrom().item(Set.of())
                : leases.extend(some.stream().map(HeldLease::claim).toList(), time)
                        .map(held -> some.stream()
                                .filter(lease -> held.contains(lease.claim().executionId()))
                                .collect(Collectors.toSet()));
    }

    private Uni<LeaseResult> extended(LeaseItem.Extend item, HeldLease lease) {
        var result = new LeaseResult.Extended(lease.left(System.nanoTime()), lease.cancelled());
        var progress = item.progress();
        var claim = lease.claim();
        return progress == null
                ? Uni.createFrom().item(result)
                : reports.record(claim.executionId(), claim.attempt(), progress).replaceWith(result);
    }

    Uni<List<LeaseResult>> complete(List<LeaseItem.Complete> items, Predicate<String> mayWork) {
        return finder.find(items).chain(found -> each(items, found, mayWork, this::complete));
    }

    private Uni<LeaseResult> complete(LeaseItem.Complete item, HeldLease lease) {
        var output = item.output();
        return output == null
                ? refused(
                        LeaseResult.Code.OUTPUT_TOO_LARGE,
                        "The output is larger than %d bytes.".formatted(CallbackRequest.MAX_OUTPUT_BYTES))
                : end(lease, new Outcome.Succeeded(output), LeaseEnd.COMPLETED);
    }

    Uni<List<LeaseResult>> fail(List<LeaseItem.Fail> items, Predicate<String> mayWork) {
        return finder.find(items)
                .chain(found ->
                        each(items, found, mayWork, (item, lease) -> end(lease, outcome(item), LeaseEnd.FAILED)));
    }

    private static Outcome outcome(LeaseItem.Fail item) {
        return item.permanent()
                ? new Outcome.PermanentFailure(item.failure(), true)
                : new Outcome.RetryableFailure(item.failure(), item.retryAfter());
    }

    Uni<List<LeaseResult>> release(List<LeaseItem.Release> items, Predicate<String> mayWork) {
        return finder.find(items)
                .chain(found -> each(
                        items,
                        found,
                        mayWork,
                        (_, lease) ->
                                end(lease, new Outcome.Interrupted(lease.cancelled() != null), LeaseEnd.RELEASED)));
    }

    Uni<List<LeaseResult>> defer(List<LeaseItem.Defer> items, Predicate<String> mayWork) {
        if (!addresses.areKnown()) {
            throw new ApiException(
                    ErrorCode.PUBLIC_URL_REQUIRED,
                    "Callbacks need the public address of the server: set TE_PUBLIC_URL.");
        }
        return finder.find(items).chain(found -> each(items, found, mayWork, this::defer));
    }

    private Uni<LeaseResult> defer(LeaseItem.Defer item, HeldLease lease) {
        var completion = lease.resultSettings().completion();
        if (completion == null || !completion.takesCallbacks()) {
            return refused(LeaseResult.Code.NOT_DEFERRABLE, "Its endpoint has no completion with the mode 'callback'.");
        }
        var timeout = item.timeout();
        if (timeout != null && timeout.compareTo(completion.timeout()) > 0) {
            return refused(
                    LeaseResult.Code.NOT_DEFERRABLE,
                    "The timeout is more than %s, that of the endpoint.".formatted(completion.timeout()));
        }
        var terms = new DeferralTerms(
                DeferralMode.CALLBACK,
                timeout == null ? completion.timeout() : timeout,
                null,
                null,
                completion.heartbeatTimeout());
        return end(lease, new Outcome.Deferred(terms), LeaseEnd.DEFERRED);
    }

    private static Uni<LeaseResult> refused(LeaseResult.Code code, String message) {
        return Uni.createFrom().item(new LeaseResult.Refused(code, message));
    }

    private Uni<LeaseResult> end(HeldLease lease, Outcome outcome, LeaseEnd end) {
        return ends.end(lease, outcome, end)
                .map(status -> status == null ? lost(lease) : answer(lease.token(), status));
    }

    private LeaseResult answer(LeaseToken token, ExecutionStatus status) {
        return status == ExecutionStatus.DEFERRED
                ? new LeaseResult.Deferred(addresses.ofCallback(token.executionId(), token.attempt()))
                : new LeaseResult.Ended(status);
    }

    private LeaseResult lost(HeldLease lease) {
        held.remove(lease);
        metrics.lost();
        return LeaseResult.lost(held.reason(lease.token()));
    }

    /** Only those hear of the end of a lease who may work for its endpoint. */
    private LeaseResult unknown(LeaseItem item, Predicate<String> mayWork) {
        var token = LeaseToken.parse(item.lease());
        var endpoint = token == null ? null : held.endpoint(token);
        if (endpoint != null && !mayWork.test(endpoint)) {
            return forbidden(endpoint);
        }
        if (token != null && !(item instanceof LeaseItem.Extend)) {
            var status = held.result(token, item instanceof LeaseItem.Defer);
            if (status != null) {
                // Its worker did not get the answer.
                return answer(token, status);
            }
        }
        metrics.lost();
        return LeaseResult.lost(token == null ? null : held.reason(token));
    }

    private static LeaseResult forbidden(String endpoint) {
        return new LeaseResult.Refused(
                LeaseResult.Code.FORBIDDEN, "This API key may not work for '%s'.".formatted(endpoint));
    }

    private <T extends LeaseItem> Uni<List<LeaseResult>> each(
            List<T> items,
            Map<String, HeldLease> found,
            Predicate<String> mayWork,
            BiFunction<T, HeldLease, Uni<LeaseResult>> action) {
        return Uni.join()
                .all(items.stream()
                        .map(item -> one(item, found.get(item.lease()), mayWork, action))
                        .toList())
                // Not at the first failure, at which what follows the writes of the others would be left out.
                .andCollectFailures()
                .onFailure(CompositeException.class)
                .transform(e -> e.getCauses().getFirst());
    }

    private <T extends LeaseItem> Uni<LeaseResult> one(
            T item,
            @Nullable HeldLease lease,
            Predicate<String> mayWork,
            BiFunction<T, HeldLease, Uni<LeaseResult>> action) {
        if (lease == null) {
            return Uni.createFrom().item(unknown(item, mayWork));
        }
        var endpoint = lease.claim().endpoint();
        return mayWork.test(endpoint)
                ? action.apply(item, lease)
                : Uni.createFrom().item(forbidden(endpoint));
    }
}
