package io.taskexec.cli.noun;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.InputText;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.text.LineBytes;
import io.taskexec.cli.text.Progress;
import io.taskexec.cli.text.Terminal;
import io.taskexec.model.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.CharacterCodingException;
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

    /** The API takes 1 MiB, in which there is also what is around the jobs. */
    static final int MOST_BYTES = 1024 * 1024 - "{\"jobs\":[]}".length();

    private static final String TOO_LONG =
            "This has more than %d bytes, which no request may have.".formatted(MOST_BYTES);
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
        try (var lines = lines();
                var progress = new Progress(err, Terminal.isErrorShown(), "jobs", total)) {
            var number = 0;
            var done = 0L;
            for (var line = next(lines); line.length() >= 0; line = next(lines)) {
                number++;
                done += line.length() + 1;
                take(number, line, progress);
                progress.reach(done, created + known + refused + " jobs");
            }
            flush(progress);
        }
        out.println("%d created, %d were there already, %d refused.".formatted(created, known, refused));
        out.flush();
        return refused == 0 ? ExitCode.DONE : ExitCode.REFUSED;
    }

    private LineBytes lines() {
        try {
            return new LineBytes(InputText.open(file), MOST_BYTES);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /** What is wrong with the file is not what is wrong with the server. */
    private LineBytes.Line next(LineBytes lines) {
        try {
            return lines.next();
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private ParameterException unreadable(IOException e) {
        return new ParameterException(spec.commandLine(), InputText.called(file) + " cannot be read.", e);
    }

    private long total() throws IOException {
        var path = Path.of(file);
        return Files.isRegularFile(path) ? Files.size(path) : 0;
    }

    private void take(int number, LineBytes.Line line, Progress progress)
            throws RefusedException, IOException, InterruptedException {
        if (line.length() > MOST_BYTES) {
            refuse(number, TOO_LONG, progress);
            return;
        }
        try {
            // A decoder of its own puts nothing in the place of what is no text.
            var text = StandardCharsets.UTF_8.newDecoder().decode(line.bytes()).toString();
            if (!text.isBlank()) {
                add(number, Json.parse(text), progress);
            }
        } catch (CharacterCodingException _) {
            refuse(number, "This is not UTF-8.", progress);
        } catch (JsonProcessingException e) {
            refuse(number, "This is no JSON: " + e.getOriginalMessage(), progress);
        }
    }

    private void add(int number, JsonNode job, Progress progress)
            throws RefusedException, IOException, InterruptedException {
        // As it is sent, which may be longer than it was.
        var size = Json.write(job).getBytes(StandardCharsets.UTF_8).length;
        if (size > MOST_BYTES) {
            refuse(number, TOO_LONG, progress);
            return;
        }
        if (batch.size() == MOST_JOBS || bytes + size > MOST_BYTES) {
            flush(progress);
        }
        batch.add(new Line(number, job));
        bytes += size + 1;
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
            judge(batch.get(i), i, answers.path(i), progress);
        }
        batch.clear();
        bytes = 0;
    }

    private void judge(Line line, int place, JsonNode answer, Progress progress) {
        var status = answer.path("status").asInt();
        if (status >= FIRST_ERROR) {
            var reason = RefusedException.of(status, answer.path("error")).explanation();
            // The line says where it is; its place in a batch says nothing to who wrote the file.
            refuse(line.number(), reason.replace("/jobs/" + place + "/", "/"), progress);
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
