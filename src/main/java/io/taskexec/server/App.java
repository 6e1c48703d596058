package io.taskexec.server;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.ShutdownEvent;
import io.smallrye.mutiny.TimeoutException;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.event.EventFeed;
import io.taskexec.api.filter.DrainFilter;
import io.taskexec.config.Role;
import io.taskexec.config.ServerConfig;
import io.taskexec.kafka.EventPublishing;
import io.taskexec.kafka.InboundJobs;
import io.taskexec.loop.Loop;
import io.taskexec.loop.LoopTimer;
import io.taskexec.observe.trace.Tracing;
import io.taskexec.region.Regions;
import io.taskexec.scheduler.Scheduler;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.job.JobCreator;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.wakeup.Wakeups;
import io.taskexec.worker.Worker;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.Reception;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import org.jboss.logging.Logger;

/** Starts and stops the chosen roles in order. */
@Singleton
final class App implements QuarkusApplication {
    private static final Logger LOG = Logger.getLogger(App.class);
    private static final Duration STOP_MARGIN = Duration.ofSeconds(20);
    private static final Duration LAST_REQUESTS = Duration.ofSeconds(5);

    private final ServerConfig config;
    private final Worker worker;
    private final Scheduler scheduler;
    private final Readiness readiness;
    private final RoleProgress roleProgress;
    private final EventLoopWatch eventLoops;
    private final JobCreator jobCreator;
    private final Tracing tracing;
    private final DueSignal dueSignal;
    private final Wakeups wakeups;
    private final Loop listening;
    private final CancelSignal cancelSignal;
    private final DrainFilter intake;
    private final EventFeed eventFeed;
    private final EventPublishing eventPublishing;
    private final InboundJobs inboundJobs;
    private final Regions regions;

    App(
            ServerConfig config,
            Worker worker,
            Scheduler scheduler,
            Readiness readiness,
            RoleProgress roleProgress,
            EventLoopWatch eventLoops,
            JobCreator jobCreator,
            Tracing tracing,
            DueSignal dueSignal,
            Wakeups wakeups,
            LoopTimer timer,
            CancelSignal cancelSignal,
            DrainFilter intake,
            EventFeed eventFeed,
            EventPublishing eventPublishing,
            InboundJobs inboundJobs,
            Regions regions) {
        this.config = config;
        this.worker = worker;
        this.scheduler = scheduler;
        this.readiness = readiness;
        this.roleProgress = roleProgress;
        this.eventLoops = eventLoops;
        this.jobCreator = jobCreator;
        this.tracing = tracing;
        this.dueSignal = dueSignal;
        this.wakeups = wakeups;
        this.listening = new Loop("listening to other processes", wakeups::keepListening, timer);
        this.cancelSignal = cancelSignal;
        this.intake = intake;
        this.eventFeed = eventFeed;
        this.eventPublishing = eventPublishing;
        this.inboundJobs = inboundJobs;
        this.regions = regions;
    }

    @Override
    public int run(String... args) {
        eventLoops.start();
        tracing.start();
        listening.start();
        regions.start(config.roles().stream().map(Role::component).toList(), has(Role.SCHEDULER));
        if (has(Role.WORKER)) {
            roleProgress.watch(Role.WORKER, worker::progress);
            dueSignal.onSignal(worker::wake);
            cancelSignal.onCancel(worker::cancel);
            worker.start();
        }
        if (has(Role.SCHEDULER)) {
            roleProgress.watch(Role.SCHEDULER, scheduler::progress);
            dueSignal.onSignal(scheduler::wake);
            scheduler.start();
            eventPublishing.start();
        }
        if (has(Role.API)) {
            roleProgress.watch(Role.API, () -> Map.of("jobs", jobCreator.progress(), "heartbeat", regions.progress()));
            inboundJobs.start();
        }
        roleProgress.started();
        var api = has(Role.API) ? "API on " + config.listenAddr() + ", " : "";
        LOG.infof("ready: roles %s, %shealth and metrics on %s", config.roles(), api, config.managementAddr());
        Launch.announce("ready");
        Quarkus.waitForExit();
        // Before the framework waits for requests that are under way, of which these would take for ever.
        eventFeed.endAll();
        return 0;
    }

    /**
     * Runs before anything else is taken down: the last results need the database. Only where roles were started: other
     * commands have nothing to drain, and not the settings to make all of this for it.
     */
    void drain(@Observes(notifyObserver = Reception.IF_EXISTS) ShutdownEvent event) {
        readiness.drain();
        stop().await().atMost(worker.shutdownTimeout().plus(STOP_MARGIN));
    }

    private Uni<Void> stop() {
        var scheduling =
                has(Role.SCHEDULER) ? scheduler.stop() : Uni.createFrom().voidItem();
        var reading = inboundJobs.stop();
        return scheduling
                .chain(() -> has(Role.WORKER) ? worker.stop() : Uni.createFrom().voidItem())
                .chain(eventPublishing::stop)
                .chain(() -> reading)
                .chain(eventFeed::stop)
                .chain(this::closeIntake)
                .chain(tracing::stop)
                .chain(regions::stop)
                .chain(listening::stop)
                .chain(wakeups::close);
    }

    /** A request that takes longer is cut off. */
    private Uni<Void> closeIntake() {
        return intake.close()
                .ifNoItem()
                .after(LAST_REQUESTS)
                .fail()
                .onFailure(TimeoutException.class)
                .recoverWithNull();
    }

    private boolean has(Role role) {
        return config.roles().contains(role);
    }
}
