import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;

/** Gives processes that have just started something to do, so that what is measured then is not their start. */
final class WarmUp {
    private static final int JOBS = 20_000;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private WarmUp() {}

    static void run(Session session, String scenario) throws IOException, InterruptedException, SQLException {
        Delivery delivery =
                session.deliverTo(scenario + "-warm-up", session.options().flowPart(JOBS));
        delivery.createAll();
        session.awaitArrivals(delivery.arrivals(), LIMIT);
    }
}
