package io.taskexec.api.event;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.taskexec.api.web.ApiConfig;
import io.taskexec.api.web.Caller;
import io.taskexec.loop.Loop;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.job.ExecutionEvent;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.RequestId;
import io.taskexec.store.auth.ApiKeyStore;
import io.taskexec.store.event.EventStore;
import io.taskexec.store.event.EventStore.Extent;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log of events for all clients of this process that follow it: once for those that are at its end, and once
 * for each that is behind. Nothing is read without clients.
 */
@Singleton
public final class EventFeed {
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);
    private static final Duration BETWEEN_LOOKS_AT_KEYS = Duration.ofSeconds(5);
    private static final Duration WITHOUT_STREAMS = Duration.ofHours(1);
    private static final int PAGE = 500;

    private final EventStore store;
    private final ApiKeyStore keys;
    private final EventPlaces places;
    private final Loop loop;
    private final Set<EventStream> streams = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;
    private long lookedAtKeys = System.nanoTime();

    @Inject
    EventFeed(EventStore store, ApiKeyStore keys, ApiConfig config, LoopTimer timer, MeterRegistry metrics) {
        this(store, keys, config.eventsMaxStreams(), timer);
        Gauge.builder("taskexec.events.streams", streams, Set::size)
                .description("Clients that follow events at this process")
                .register(metrics);
    }

    EventFeed(EventStore store, ApiKeyStore keys, int mostStreams, LoopTimer timer) {
        this.store = store;
        this.keys = keys;
        this.places = new EventPlaces(mostStreams);
        this.loop = new Loop("reading events for those who follow them", this::runOnce, timer);
    }

    /**
     * Sends events from now on, or those after {@code last}; the result comes when that has ended.
     *
     * @param last the id of the last event that the client has seen
     */
    public Uni<Void> follow(
            RoutingContext request, Caller caller, Predicate<ExecutionEvent> filter, @Nullable Long last) {
        checkEnabled();
        places.take(caller);
        return (last == null ? end() : store.extent())
                .map(extent -> stream(request.response(), caller.keyId(), filter, last, extent))
                .chain(stream -> Uni.createFrom().<Void>emitter(ended -> open(stream, request, ended)))
                .eventually(() -> places.giveBack(caller));
    }

    /**
     * Answers with the head that {@link #follow} begins with, and without events, for which no place is taken.
     *
     * @param last the id of the last event that the client has seen
     */
    Uni<Void> showHead(RoutingContext request, @Nullable Long last) {
        checkEnabled();
        return store.extent()
                .map(extent -> stream(request.response(), null, _ -> false, last, extent))
                .chain(stream -> Uni.createFrom().<Void>emitter(ended -> {
                    var _ = request.addEndHandler(_ -> ended.complete(null));
                    stream.setHead(requestId(request));
                    stream.end();
                    if (stream.hasEnded()) {
                        // Perhaps before the handler was there.
                        ended.complete(null);
                    }
                }));
    }

    private void checkEnabled() {
        if (!store.isEnabled()) {
            throw new ApiException(ErrorCode.CONFLICT, "Events are off in this process: set TE_EVENTS_ENABLED=true.");
        }
    }

    private static String requestId(RoutingContext request) {
        return RequestId.chosen(request.request().getHeader(RequestId.HEADER));
    }

    /**
     * The end of the log after all that has happened so far has come there. What comes later was committed later,
     * whenever its transaction began: the times of events do not tell.
     */
    private Uni<Extent> end() {
        return store.moveIfAny().repeat().whilst(more -> more).collect().last().chain(() -> store.extent());
    }

    private static EventStream stream(
            HttpServerResponse response,
            @Nullable String keyId,
            Predicate<ExecutionEvent> filter,
            @Nullable Long last,
            Extent extent) {
        if (last != null && (last < extent.removed() || last > extent.last())) {
            throw gone(last);
        }
        return new EventStream(response, keyId, filter, last == null ? extent.last() : last);
    }

    private static ApiException gone(long last) {
        return new ApiException(
                ErrorCode.EVENTS_GONE,
                "The events after %d are not kept any more. Read what you need to know, and follow without an id."
                        .formatted(last));
    }

    private void open(EventStream stream, RoutingContext request, UniEmitter<? super Void> ended) {
        stream.begin(requestId(request));
        streams.add(stream);
        var _ = request.addEndHandler(_ -> leave(stream, ended));
        if (closed) {
            stream.end();
        }
        if (stream.hasEnded()) {
            // Perhaps before the first client came.
            leave(stream, ended);
        } else {
            loop.start();
            loop.wake();
        }
    }

    private void leave(EventStream stream, UniEmitter<? super Void> ended) {
        streams.remove(stream);
        ended.complete(null);
    }

    /** Ends the streams of those who follow, and of those who come: they resume at another process. */
    public Uni<Void> stop() {
        closed = true;
        streams.forEach(EventStream::end);
        return loop.stop();
    }

    private Uni<Duration> runOnce() {
        var now = System.nanoTime();
        streams.forEach(stream -> stream.tend(now));
        if (streams.isEmpty()) {
            return Uni.createFrom().item(WITHOUT_STREAMS);
        }
        var end = streams.stream().mapToLong(EventStream::position).max().orElse(0);
        return endForInvalidKeys(now)
                .chain(() -> catchUp(end))
                .chain(more -> goOn(end).map(full -> more || full ? Duration.ZERO : BETWEEN_LOOKS));
    }

    private Uni<Void> endForInvalidKeys(long now) {
        if (now - lookedAtKeys < BETWEEN_LOOKS_AT_KEYS.toNanos()) {
            return Uni.createFrom().voidItem();
        }
        lookedAtKeys = now;
        var ids = streams.stream()
                .map(EventStream::keyId)
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
        return ids.isEmpty()
                ? Uni.createFrom().voidItem()
                : keys.invalid(ids)
                        .invoke(invalid -> streams.stream()
                                .filter(stream -> stream.keyId() != null && invalid.contains(stream.keyId()))
                                .forEach(EventStream::end))
                        .replaceWithVoid();
    }

    /** A page for each that is behind and has taken the one before; whether there may be more for one of them. */
    private Uni<Boolean> catchUp(long end) {
        var pages = streams.stream()
                .filter(stream -> stream.position() < end && stream.takes())
                .map(this::page)
                .toList();
        return pages.isEmpty()
                ? Uni.createFrom().item(false)
                : Uni.join().all(pages).andFailFast().replaceWith(true);
    }

    private Uni<Void> page(EventStream stream) {
        return store.read(stream.position(), PAGE)
                .invoke(events -> deliver(stream, events))
                .replaceWithVoid();
    }

    /** Sends new events to all clients at the end of the log; returns whether there may be more. */
    private Uni<Boolean> goOn(long end) {
        var ready = streams.stream()
                .filter(stream -> stream.position() >= end && stream.takes())
                .toList();
        if (ready.isEmpty()) {
            return Uni.createFrom().item(false);
        }
        return store.extent()
                .invoke(extent -> endBeyond(extent, ready))
                .chain(extent -> store.follow(extent, end, PAGE))
                .map(events -> {
                    if (!events.isEmpty()) {
                        ready.forEach(stream -> deliver(stream, events));
                    }
                    return events.size() == PAGE;
                });
    }

    /**
     * Ends streams that have been sent what the log has lost, by a failover or a restore: other events get these
     * positions. When a client comes back, it is told so.
     */
    private static void endBeyond(Extent extent, List<EventStream> streams) {
        streams.stream().filter(stream -> stream.position() > extent.last()).forEach(EventStream::end);
    }

    private static void deliver(EventStream stream, List<ExecutionEvent> events) {
        if (events.isEmpty() || events.getFirst().position() > stream.position() + 1) {
            // What it would have been told of has been removed meanwhile; when it comes back, it is told so.
            stream.end();
        } else {
            stream.deliver(events);
        }
    }
}
