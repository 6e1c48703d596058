package io.taskexec.cli.forecast;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.cli.client.ExitCode;
import io.taskexec.testing.Answer;
import io.taskexec.testing.CommandBed;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs the command with a server that answers as it is told. */
class SpreadCommandTest {
    private static final String FORECAST = """
            {"proposals": {"items": [
              {"job_id": "job_1", "cron": "0 * * * *", "proposed_cron": "H * * * *"},
              {"job_id": "job_2", "cron": "0 * * * *", "proposed_cron": "H * * * *"}]}}""";

    private final CommandBed cli = new CommandBed();

    @AfterEach
    void stop() {
        cli.close();
    }

    @ParameterizedTest
    @CsvSource({"name, jobs/job_3", "json, \"job_id\" : \"job_3\"", "yaml, job_id: job_3", "table, is version 2"})
    void changesAreToldWhenTheConnectionBreaksAfterThem(String format, String told) {
        cli.server()
                .answer(request -> Answer.of(
                        200,
                        switch (request.method() + " " + request.path().replaceFirst("\\?.*", "")) {
                            case "GET /forecast" -> FORECAST;
                            case "GET /jobs/job_1" -> "{\"cron\": \"0 * * * *\"}";
                            case "PATCH /jobs/job_1" -> "{\"job_id\": \"job_3\", \"version\": 2}";
                            default -> "no JSON";
                        }));

        assertThat(cli.run("schedules", "spread", "--apply", "-o", format)).isEqualTo(ExitCode.NO_ANSWER);

        assertThat(cli.out()).contains(told);
        assertThat(cli.err()).contains("No valid answer");
    }
}
