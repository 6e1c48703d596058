package io.taskexec.cli.noun;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.InputText;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.text.LineReader;
import io.taskexec.cli.text.ProgressBar;
import io.taskexec.cli.text.Terminal;
import io.taskexec.model.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * Sends the jobs of a file with one job in each line, in batches. A refused job is reported with its line and does
 * not stop the others. The idempotency keys allow to send the same file again.
 */
final class JobLines {
    private static final int MAX_JOBS = 1000;

    /** The API accepts 1 MiB, including the JSON around the jobs. */
    static final int MAX_BYTES = 1024 * 1024 - "{\"jobs\":[]}".length();

    private static final String TOO_LONG =
            "This has more than %d bytes, which no request may have.".formatted(MAX_BYTES);
    private static final int MAX_TRIES = 5;
    private static final Duration BEFORE_RETRY = Duration.ofSeconds(1);
    private static final int CREATED = 201;
    private static final int FIRST_ERROR = 300;

    private final ServerClient client;
    private final String file;
    private final PrintWriter out;
    private final PrintWriter err;
    private final CommandSpec spec;
    private final List<Line> batch = new ArrayList<>();
    private int bytes;
    private long created;
    private long existing;
    private long refused;

    private record Line(int number, JsonNode job) {}

    JobLines(ServerClient client, CommandSpec spec, String file) {
        this.client = client;
        this.spec = spec;
        this.file = file;
        this.out = spec.commandLine().getOut();
        this.err = spec.commandLine().getErr();
    }

    /** Returns the exit code. */
    int send() throws IOException, InterruptedException {
        var total = total();
        try {
            send(total);
        } catch (IOException e) {
            printCounts();
            throw e;
        }
        printCounts();
        return refused == 0 ? ExitCode.DONE : ExitCode.REFUSED;
    }

    private void send(long total) throws IOException, InterruptedException {
        try (var lines = lines();
                var progress = new ProgressBar(err, Terminal.isErrorShown(), "jobs", total)) {
            var number = 0;
            var done = 0L;
            for (var line = next(lines); line.length() >= 0; line = next(lines)) {
                number++;
                done += line.length() + 1;
                handle(number, line, progress);
                progress.update(done, created + existing + refused + " jobs");
            }
            flush(progress);
        }
    }

    private void printCounts() {
        out.println("%d created, %d already existed, %d refused.".formatted(created, existing, refused));
        out.flush();
    }

    private LineReader lines() {
        try {
            return new LineReader(InputText.open(file), MAX_BYTES);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /** Separates errors of the file from errors of the server. */
    private LineReader.Line next(LineReader lines) {
        try {
            return lines.next();
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private ParameterException unreadable(IOException e) {
        return new ParameterException(spec.commandLine(), InputText.displayName(file) + " cannot be read.", e);
    }

    private long total() throws IOException {
        var path = Path.of(file);
        return Files.isRegularFile(path) ? Files.size(path) : 0;
    }

    private void handle(int number, LineReader.Line line, ProgressBar progress)
            throws IOException, InterruptedException {
        if (line.length() > MAX_BYTES) {
            refuse(number, TOO_LONG, progress);
            return;
        }
        try {
            // A new decoder reports invalid bytes instead of replacing them.
            var text = StandardCharsets.UTF_8.newDecoder().decode(line.bytes()).toString();
            if (!text.isBlank()) {
                add(number, Json.parse(text), progress);
            }
        } catch (CharacterCodingException _) {
            refuse(number, "This is not UTF-8.", progress);
        } catch (JsonProcessingException e) {
            refuse(number, "This is not JSON: " + e.getOriginalMessage(), progress);
        }
    }

    private void add(int number, JsonNode job, ProgressBar progress) throws IOException, InterruptedException {
        // The JSON that is sent may be longer than the line.
        var size = Json.write(job).getBytes(StandardCharsets.UTF_8).length;
        if (size > MAX_BYTES) {
            refuse(number, TOO_LONG, progress);
            return;
        }
        if (batch.size() == MAX_JOBS || bytes + size > MAX_BYTES) {
            flush(progress);
        }
        batch.add(new Line(number, job));
        bytes += size + 1;
    }

    private void flush(ProgressBar progress) throws IOException, InterruptedException {
        if (batch.isEmpty()) {
            return;
        }
        var request = JsonNodeFactory.instance.objectNode();
        var jobs = request.putArray("jobs");
        batch.forEach(line -> jobs.add(line.job()));
        var answers = post(request).path("items");
        for (var i = 0; i < batch.size(); i++) {
            record(batch.get(i), i, answers.path(i), progress);
        }
        batch.clear();
        bytes = 0;
    }

    /** Repeats a request without an answer where all of its jobs are found by their keys. */
    private JsonNode post(JsonNode request) throws IOException, InterruptedException {
        var isRepeatable = batch.stream().allMatch(line -> isRepeatable(line.job()));
        for (var tries = 1; ; tries++) {
            try {
                return client.post("/jobs/batch", request);
            } catch (IOException e) {
                var isFinal = e instanceof RefusedException refused
                        ? !refused.isTransient()
                        : e.getCause() instanceof InterruptedException;
                if (isFinal || !isRepeatable || tries == MAX_TRIES) {
                    throw e;
                }
            }
            Thread.sleep(BEFORE_RETRY);
        }
    }

    /** A job that takes a key takes that of itself too, and one that rejects others rejects itself. */
    private static boolean isRepeatable(JsonNode job) {
        return job.hasNonNull("idempotency_key")
                && job.path("on_conflict").asText("return").equals("return");
    }

    private void record(Line line, int place, JsonNode answer, ProgressBar progress) {
        var status = answer.path("status").asInt();
        if (status >= FIRST_ERROR) {
            var reason = RefusedException.of(status, answer.path("error")).explanation();
            // The message has the line; the index in the batch means nothing to the user.
            refuse(line.number(), reason.replace("/jobs/" + place + "/", "/"), progress);
        } else if (status == CREATED) {
            created++;
        } else {
            existing++;
        }
    }

    private void refuse(int number, String reason, ProgressBar progress) {
        refused++;
        progress.clear();
        err.println((file.equals(InputText.STANDARD_INPUT) ? "<stdin>" : file) + ":" + number + ": " + reason);
        err.flush();
    }
}
