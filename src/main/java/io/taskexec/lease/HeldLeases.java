package io.taskexec.lease;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.lease.CancelReason;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.wakeup.ProcessBroadcast;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The leases that this process has handed out and that have not ended, so that their ends need no look into the
 * database, and what their workers are still to be told. All of it may be forgotten: the database has the leases.
 */
@Singleton
final class HeldLeases {
    /** One more is looked for in the database when it ends. */
    private static final int MOST = 100_000;

    private static final int MOST_ENDED = 100_000;

    /** Workers that are told of nothing but by their extensions are not asking for more. */
    private static final int MOST_NOTICES = 10_000;

    private static final Duration ENDED_KNOWN = Duration.ofMinutes(10);

    /** The topic of notes to other processes: attempts that a worker is to stop. */
    private static final String TOPIC = "stop";

    private final Map<UUID, HeldLease> held = new ConcurrentHashMap<>();
    private final Cache<LeaseToken, Ended> ended = Caffeine.newBuilder()
            .maximumSize(MOST_ENDED)
            .expireAfterWrite(ENDED_KNOWN)
            .build();
    private final Cache<LeaseToken, Notice> told = Caffeine.newBuilder()
            .maximumSize(MOST_ENDED)
            .expireAfterWrite(ENDED_KNOWN)
            .build();
    private final Deque<Dated> notices = new ArrayDeque<>();
    private final ProcessBroadcast broadcast;
    private volatile Runnable onFirst = () -> {};
    private volatile Runnable onNotice = () -> {};
    private volatile @Nullable Long removedAt;

    HeldLeases(ProcessBroadcast broadcast, CancelSignal cancelSignal) {
        this.broadcast = broadcast;
        broadcast.onNote(TOPIC, this::heard);
        cancelSignal.onCancel(this::cancelled);
    }

    /** Tells a worker that it is to stop an attempt for an endpoint. */
    record Notice(UUID workerId, String endpoint, LeaseToken lease, CancelReason reason) {}

    /** The result with which the lease of an endpoint has ended. */
    private record Ended(String endpoint, ExecutionStatus status) {}

    /** A notice with the time of its arrival, by {@link System#nanoTime}. */
    private record Dated(Notice notice, long at) {
        boolean isOld() {
            return System.nanoTime() - at > ENDED_KNOWN.toNanos();
        }
    }

    /** Calls {@code first} when there is a lease after there was none. */
    void onFirst(Runnable first) {
        onFirst = first;
    }

    /** Calls {@code listener} when there is something for a worker, from here or from another process. */
    void onNotice(Runnable listener) {
        onNotice = listener;
    }

    void add(HeldLease lease) {
        if (held.size() >= MOST) {
            return;
        }
        var reason = reason(lease.token());
        if (reason != null) {
            lease.cancel(reason);
        }
        var isFirst = held.isEmpty();
        held.put(lease.claim().executionId(), lease);
        if (hasResult(lease.token())) {
            // It has ended while it was extended.
            remove(lease);
        }
        if (isFirst) {
            onFirst.run();
        }
    }

    /** Returns null when this process does not know it. */
    @Nullable
    HeldLease find(LeaseToken token) {
        var found = held.get(token.executionId());
        return found != null && found.token().equals(token) ? found : null;
    }

    void remove(HeldLease lease) {
        if (held.remove(lease.claim().executionId(), lease)) {
            removedAt = System.nanoTime();
        }
    }

    /** Whether a lease has ended within so long. */
    boolean hasEndedWithin(Duration time) {
        var at = removedAt;
        return at != null && System.nanoTime() - at < time.toNanos();
    }

    /**
     * A lease has ended with this result, which is the answer when its worker asks again; returns false when that was
     * known.
     */
    boolean ended(HeldLease lease, ExecutionStatus status) {
        var isNew =
                ended.asMap().putIfAbsent(lease.token(), new Ended(lease.claim().endpoint(), status)) == null;
        remove(lease);
        return isNew;
    }

    /** Whether it is known with which result a lease has ended. */
    boolean hasResult(LeaseToken token) {
        return ended.getIfPresent(token) != null;
    }

    /**
     * The result with which a lease has ended lately, as far as it answers a deferral, or another end; null when it is
     * not known.
     */
    @Nullable
    ExecutionStatus result(LeaseToken token, boolean isDeferral) {
        var found = ended.getIfPresent(token);
        return found == null || (found.status() == ExecutionStatus.DEFERRED && !isDeferral) ? null : found.status();
    }

    /** Why the worker was told, here or at another process, to stop an attempt; null when it was not. */
    @Nullable
    CancelReason reason(LeaseToken token) {
        var notice = told.getIfPresent(token);
        return notice == null ? null : notice.reason();
    }

    /** The endpoint of a lease that has ended lately, or whose worker was told to stop; null when it is not known. */
    @Nullable
    String endpoint(LeaseToken token) {
        var found = ended.getIfPresent(token);
        if (found != null) {
            return found.endpoint();
        }
        var notice = told.getIfPresent(token);
        return notice == null || notice.endpoint().isEmpty() ? null : notice.endpoint();
    }

    Collection<HeldLease> all() {
        return held.values();
    }

    int size() {
        return held.size();
    }

    private void cancelled(UUID executionId) {
        var found = held.remove(executionId);
        if (found != null) {
            cancel(found, CancelReason.CANCELLED);
        }
    }

    /** The worker is told to stop an attempt. */
    void cancel(HeldLease lease, CancelReason reason) {
        lease.cancel(reason);
        var endpoint = lease.claim().endpoint();
        if (add(new Notice(lease.workerId(), endpoint, lease.token(), reason))) {
            broadcast.tell(
                    TOPIC,
                    "%s %s %s %s".formatted(lease.workerId(), lease.token().toText(), reason, endpoint));
            onNotice.run();
        }
    }

    private void heard(String note) {
        var parts = note.split(" ", -1);
        var token = LeaseToken.parse(parts[1]);
        if (token == null) {
            return;
        }
        var reason = CancelReason.valueOf(parts[2]);
        var lease = find(token);
        if (lease != null) {
            lease.cancel(reason);
        }
        // Older processes name no endpoint: then only those hear of it whose keys have no limits.
        var endpoint = parts.length > 3 ? parts[3] : "";
        if (add(new Notice(UUID.fromString(parts[0]), endpoint, token, reason))) {
            onNotice.run();
        }
    }

    /** Returns false when its worker has been told, or will be. */
    private boolean add(Notice notice) {
        var before = told.asMap().put(notice.lease(), notice);
        if (before != null && before.reason() == notice.reason()) {
            return false;
        }
        synchronized (notices) {
            var oldest = notices.peek();
            while (oldest != null && (oldest.isOld() || notices.size() == MOST_NOTICES)) {
                var _ = notices.remove();
                oldest = notices.peek();
            }
            notices.add(new Dated(notice, System.nanoTime()));
        }
        return true;
    }

    /** Forgets what workers are to be told once {@code isTold} returns true for it. */
    void takeNotices(Predicate<Notice> isTold) {
        synchronized (notices) {
            notices.removeIf(dated -> isTold.test(dated.notice()));
        }
    }
}
