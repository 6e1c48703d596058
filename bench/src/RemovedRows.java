import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Follows in the metrics of a program how many executions retention has removed. */
final class RemovedRows implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Pattern REMOVED =
            Pattern.compile("(?m)^taskexec_retention_removed_total\\{[^}]*table=\"executions\"[^}]*} (\\S+)$");

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI metrics;
    private final Thread thread;
    private volatile long executions;
    private volatile long lastSeenNanos = System.nanoTime();

    private RemovedRows(URI metrics) {
        this.metrics = metrics;
        this.thread = Thread.ofPlatform().daemon().unstarted(this::follow);
    }

    static RemovedRows watch(Program program) {
        var rows = new RemovedRows(program.management().resolve("/q/metrics"));
        rows.thread.start();
        return rows;
    }

    long executions() {
        return executions;
    }

    /** When the number was last seen to change. */
    long lastSeenNanos() {
        return lastSeenNanos;
    }

    private void follow() {
        try {
            while (!Thread.interrupted()) {
                look();
                Thread.sleep(INTERVAL);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void look() throws InterruptedException {
        try {
            String answer = http.send(HttpRequest.newBuilder(metrics).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
            Matcher found = REMOVED.matcher(answer);
            if (found.find()) {
                long now = (long) Double.parseDouble(found.group(1));
                lastSeenNanos = now == executions ? lastSeenNanos : System.nanoTime();
                executions = now;
            }
        } catch (IOException e) {
            // It is asked again in a moment.
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        http.close();
    }
}
