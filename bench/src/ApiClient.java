import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The API calls around a measurement; what is measured itself goes through LoadLoop. */
final class ApiClient {
    private static final int BATCH_SIZE_MAX = 1000;
    private static final int SHOWN_ANSWER_CHARS_MAX = 300;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Pattern ITEM_CREATED = Pattern.compile("\"status\"\\s*:\\s*201\\b");
    private static final Pattern EXECUTION_ID = Pattern.compile("\"execution_id\"\\s*:\\s*\"([^\"]+)\"");
    private static final Pattern JOB_ID = Pattern.compile("\"job_id\"\\s*:\\s*\"([^\"]+)\"");
    private static final Pattern LEDGER_LINE =
            Pattern.compile("\"outcome\"\\s*:\\s*\"([A-Z_]+)\"\\s*,\\s*\"lateness_ms\"\\s*:\\s*(\\d+)");
    private static final Pattern GAPS =
            Pattern.compile("\"expected\"\\s*:\\s*(\\d+)\\s*,\\s*\"items\"\\s*:\\s*\\[([^]]*)]");
    private static final Pattern STATUS = Pattern.compile("\"status\"\\s*:\\s*\"([A-Z]+)\"");

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Service service;

    ApiClient(Service service) {
        this.service = service;
    }

    void createEndpoint(String registration) throws IOException, InterruptedException {
        send("POST", "/endpoints", 201, registration);
    }

    /** A queue with some of its settings, as JSON. */
    void createQueue(String settings) throws IOException, InterruptedException {
        send("POST", "/queues", 201, settings);
    }

    void pauseQueue(String name) throws IOException, InterruptedException {
        send("POST", "/queues/" + name + "/pause", 200, "");
    }

    void resumeQueue(String name) throws IOException, InterruptedException {
        send("POST", "/queues/" + name + "/resume", 200, "");
    }

    /** Reads an execution by its id, as the API shows it. */
    void readExecution(String id) throws IOException, InterruptedException {
        send("GET", "/executions/" + id, 200, "");
    }

    String forecast(int hours) throws IOException, InterruptedException {
        return send("GET", "/forecast?hours=" + hours, 200, "");
    }

    /** Creates jobs 0 to count - 1 in batches, and returns the ids of their executions. */
    List<String> createJobs(int count, IntFunction<String> job) throws IOException, InterruptedException {
        return create(count, job, EXECUTION_ID);
    }

    /** Creates schedules 0 to count - 1 in batches, and returns the ids of their jobs. */
    List<String> createSchedules(int count, IntFunction<String> job) throws IOException, InterruptedException {
        return create(count, job, JOB_ID);
    }

    /** What the ledger has of a schedule's ticks, the newest 200 at most. */
    List<Ledgers.Line> ledger(String job) throws IOException, InterruptedException {
        return LEDGER_LINE
                .matcher(send("GET", "/jobs/" + job + "/ticks?limit=200", 200, ""))
                .results()
                .map(found -> new Ledgers.Line(found.group(1), Long.parseLong(found.group(2))))
                .toList();
    }

    Ledgers.Gaps gaps(String job) throws IOException, InterruptedException {
        String answer = send("GET", "/jobs/" + job + "/gaps", 200, "");
        Matcher found = GAPS.matcher(answer);
        if (!found.find()) {
            throw new IOException("Not the gaps of a schedule: " + shortened(answer));
        }
        int missing = found.group(2).isBlank() ? 0 : found.group(2).split(",").length;
        return new Ledgers.Gaps(Integer.parseInt(found.group(1)), missing);
    }

    private List<String> create(int count, IntFunction<String> job, Pattern id)
            throws IOException, InterruptedException {
        List<String> ids = new ArrayList<>();
        for (int from = 0; from < count; from += BATCH_SIZE_MAX) {
            int to = Math.min(count, from + BATCH_SIZE_MAX);
            String jobs = IntStream.range(from, to).mapToObj(job).collect(Collectors.joining(","));
            String answer = send("POST", "/jobs/batch", 200, "{\"jobs\":[" + jobs + "]}");
            if (ITEM_CREATED.matcher(answer).results().count() != to - from) {
                throw new IOException("Not every job of a batch was created: " + shortened(answer));
            }
            id.matcher(answer).results().map(found -> found.group(1)).forEach(ids::add);
        }
        return ids;
    }

    String executionStatus(String id) throws IOException, InterruptedException {
        String answer = send("GET", "/executions/" + id, 200, "");
        return STATUS.matcher(answer)
                .results()
                .map(found -> found.group(1))
                .findFirst()
                .orElse(answer);
    }

    private String send(String method, String path, int expectedStatus, String body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + service.host() + path))
                .timeout(TIMEOUT)
                .header("Authorization", "Bearer " + service.apiKey())
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != expectedStatus) {
            throw new IOException(
                    method + " " + path + " answered " + answer.statusCode() + ": " + shortened(answer.body()));
        }
        return answer.body();
    }

    private static String shortened(String answer) {
        return answer.substring(0, Math.min(answer.length(), SHOWN_ANSWER_CHARS_MAX));
    }
}
