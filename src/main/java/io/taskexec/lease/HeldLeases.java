package io.taskexec.lease;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.lease.CancelReason;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
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

    private final Map<UUID, HeldLease> held = new ConcurrentHashMap<>();
    private final Cache<LeaseToken, ExecutionStatus> ended = Caffeine.newBuilder()
            .maximumSize(MOST_ENDED)
            .expireAfterWrite(ENDED_KNOWN)
            .build();
    private final Deque<Notice> notices = new ArrayDeque<>();
    private volatile Runnable onFirst = () -> {};
    private volatile @Nullable Long removedAt;

    /** Tells a worker that it is to stop an attempt. */
    record Notice(UUID workerId, LeaseToken lease, CancelReason reason) {}

    /** Calls {@code first} when there is a lease after there was none. */
    void onFirst(Runnable first) {
        onFirst = first;
    }

    void add(HeldLease lease) {
        if (held.size() >= MOST) {
            return;
        }
        var isFirst = held.isEmpty();
        held.put(lease.claim().executionId(), lease);
        if (result(lease.token()) != null) {
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

    /** A lease has ended with this result, which is the answer when its worker asks again. */
    void ended(HeldLease lease, ExecutionStatus status) {
        ended.put(lease.token(), status);
        remove(lease);
    }

    /** The result with which a lease has ended lately; null when it is not known. */
    @Nullable
    ExecutionStatus result(LeaseToken token) {
        return ended.getIfPresent(token);
    }

    Collection<HeldLease> all() {
        return held.values();
    }

    int size() {
        return held.size();
    }

    /** Returns whether an execution that was cancelled is leased here. */
    boolean cancelled(UUID executionId) {
        var found = held.remove(executionId);
        if (found == null) {
            return false;
        }
        cancel(found, CancelReason.CANCELLED);
        return true;
    }

    /** The worker is told to stop an attempt. */
    void cancel(HeldLease lease, CancelReason reason) {
        lease.cancel(reason);
        synchronized (notices) {
            if (notices.size() == MOST_NOTICES) {
                var _ = notices.remove();
            }
            notices.add(new Notice(lease.workerId(), lease.token(), reason));
        }
    }

    /** Takes what these workers are to be told. */
    Map<UUID, List<Notice>> takeNotices(Set<UUID> workers) {
        var taken = new HashMap<UUID, List<Notice>>();
        synchronized (notices) {
            notices.removeIf(notice -> {
                if (!workers.contains(notice.workerId())) {
                    return false;
                }
                taken.computeIfAbsent(notice.workerId(), _ -> new ArrayList<>()).add(notice);
                return true;
            });
        }
        return taken;
    }
}
