import java.io.IOException;

/** The raw rate once more, at the end: how far the machine itself changed while the other scenarios ran. */
final class DriftScenario implements Scenario {
    @Override
    public void run(Session session) throws IOException {
        double rate = RawScenario.drainRate(session);
        session.report().addAgainstRaw("drift", RawScenario.DRAIN_RATE, rate, "1/s", RawScenario.DRAIN_RATE);
    }
}
