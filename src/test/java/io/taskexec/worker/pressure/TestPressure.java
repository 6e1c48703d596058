package io.taskexec.worker.pressure;

import io.taskexec.model.Switch;
import io.taskexec.model.flow.PressureReading;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.store.pressure.PressureStore;
import io.taskexec.store.sql.Database;
import java.time.Duration;
import java.util.List;

/** A source of pressure that a test sets, with a clock of its own. */
public final class TestPressure implements PressureSource {
    /** The settings as they are by default. */
    public static final PressureConfig CONFIG = new Config(60, 80, 100);

    private final Pressure pressure = new Pressure(List.of(this), CONFIG, this::now);
    private double value;
    private long now = 1;

    /** Settings with other limits. */
    public record Config(int lowPercent, int normalPercent, int urgentPercent) implements PressureConfig {
        @Override
        public Switch enabled() {
            return Switch.TRUE;
        }

        @Override
        public int cpuPercent() {
            return 59;
        }

        @Override
        public int memoryPercent() {
            return 70;
        }

        @Override
        public int eventLoopMs() {
            return 1_000;
        }

        @Override
        public int databaseMs() {
            return 2_500;
        }
    }

    /** Pressure of which there is never any. */
    public static Pressure none() {
        return new Pressure(List.of(), CONFIG, System::nanoTime);
    }

    /** Looks at this pressure, and exchanges it with a database. */
    public static PressureWatch watch(Database database, Pressure pressure) {
        return new PressureWatch(
                pressure,
                new PressureStore(database),
                new DatabasePressure(CONFIG),
                new PressureMetrics(Meters.none(), pressure));
    }

    public Pressure pressure() {
        return pressure;
    }

    /** The source shows this for so long that it is what counts. */
    public void settle(double shown) {
        value = shown;
        for (var i = 0; i < 60; i++) {
            var _ = pass(Duration.ofSeconds(1));
        }
    }

    /** The source shows this from now on. */
    void set(double shown) {
        value = shown;
    }

    /** Looks again after a time; returns whether more may start than before. */
    boolean pass(Duration time) {
        now += time.toNanos();
        return pressure.look();
    }

    /** A signal from outside. */
    void signal(String source, double strength, Duration time) {
        pressure.signals(List.of(new PressureReading(source, strength, null, null, Duration.ZERO, time)));
    }

    private long now() {
        return now;
    }

    @Override
    public String name() {
        return "test";
    }

    @Override
    public double read() {
        return value;
    }
}
