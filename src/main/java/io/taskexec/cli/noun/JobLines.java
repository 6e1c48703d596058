package io.taskexec.cli.noun;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.ExitCode;
import io.taskexec.cli.InputText;
import io.taskexec.cli.RefusedException;
import io.taskexec.cli.ServerClient;
import io.taskexec.cli.text.Progress;
import io.taskexec.cli.text.Terminal;
import io.taskexec.model.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * Sends the jobs of a file that has one in each line, in batches. One that is refused is named with its line and does not
 * stop the others; what has been sent already is found again by its idempotency key, so the same file may be sent again.
 */
final class JobLines {
    private static final int MOST_JOBS = 1000;

    /** The API takes 1 MiB, in which there are commas too. */
    private static final int MOST_BYTES = 900_000;

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
    private long known;
    private long refused;

    private record Line(int number, JsonNode job) {}

    JobLines(ServerClient client, CommandSpec spec, String file) {
        this.client = client;
        this.spec = spec;
        this.file = file;
        this.out = spec.commandLine().getOut();
        this.err = spec.commandLine().getErr();
    }

    /** Gives the exit code. */
    int send() throws RefusedException, IOException, InterruptedException {
        var total = total();
        try (var reader = reader();
                var progress = new Progress(err, Terminal.isErrorShown(), "jobs", total)) {
            var number = 0;
            var done = 0L;
            for (var text = reader.readLine(); text != null; text = reader.readLine()) {
                number++;
                done += text.length() + 1L;
                if (!text.isBlank()) {
                    take(number, text, progress);
                }
                progress.reach(done, created + known + refused + " jobs");
            }
            flush(progress);
        }
        out.println("%d created, %d were there already, %d refused.".formatted(created, known, refused));
        out.flush();
        return refused == 0 ? ExitCode.DONE : ExitCode.REFUSED;
    }

    private BufferedReader reader() {
        try {
            return new BufferedReader(new InputStreamReader(InputText.open(file), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new ParameterException(spec.commandLine(), InputText.called(file) + " cannot be read.", e);
        }
    }

    private long total() throws IOException {
        var path = Path.of(file);
        return Files.isRegularFile(path) ? Files.size(path) : 0;
    }

    private void take(int number, String text, Progress progress)
            throws RefusedException, IOException, InterruptedException {
        try {
            var job = Json.parse(text);
            if (batch.size() == MOST_JOBS || (bytes + text.length() * 3L > MOST_BYTES && !batch.isEmpty())) {
                flush(progress);
            }
            batch.add(new Line(number, job));
            bytes += text.getBytes(StandardCharsets.UTF_8).length + 1;
        } catch (JsonProcessingException e) {
            refuse(number, "This is no JSON: " + e.getOriginalMessage(), progress);
        }
    }

    private void flush(Progress progress) throws RefusedException, IOException, InterruptedException {
        if (batch.isEmpty()) {
            return;
        }
        var request = JsonNodeFactory.instance.objectNode();
        var jobs = request.putArray("jobs");
        batch.forEach(line -> jobs.add(line.job()));
        var answers = client.post("/jobs/batch", request).path("items");
        for (var i = 0; i < batch.size(); i++) {
            judge(batch.get(i), answers.path(i), progress);
        }
        batch.clear();
        bytes = 0;
    }

    private void judge(Line line, JsonNode answer, Progress progress) {
        var status = answer.path("status").asInt();
        if (status >= FIRST_ERROR) {
            refuse(
                    line.number(),
                    RefusedException.of(status, answer.path("error")).explanation(),
                    progress);
        } else if (status == CREATED) {
            created++;
        } else {
            known++;
        }
    }

    private void refuse(int number, String reason, Progress progress) {
        refused++;
        progress.clear();
        err.println((file.equals(InputText.STANDARD_INPUT) ? "<stdin>" : file) + ":" + number + ": " + reason);
        err.flush();
    }
}
