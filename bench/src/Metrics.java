import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Pattern;

/** What a program tells of itself. */
final class Metrics {
    private Metrics() {}

    /** The sum over all series of a metric. */
    static double sum(Program program, String name) throws IOException, InterruptedException {
        URI metrics = program.management().resolve("/q/metrics");
        try (var http = HttpClient.newHttpClient()) {
            String answer = http.send(HttpRequest.newBuilder(metrics).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
            return Pattern.compile("(?m)^" + name + "(?:\\{[^}]*})? (\\S+)$")
                    .matcher(answer)
                    .results()
                    .mapToDouble(found -> Double.parseDouble(found.group(1)))
                    .sum();
        }
    }
}
