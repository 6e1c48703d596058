import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How long a forecast takes: ten thousand schedules of ten endpoints with five hundred expressions, from one that fires
 * each minute to one that fires once a day, in five time zones.
 */
final class ForecastScenario implements Scenario {
    private static final String NAME = "forecast";
    private static final int SCHEDULES = 10_000;
    private static final int EXPRESSIONS = 500;
    private static final int ENDPOINTS = 10;
    private static final int REPEATS = 20;
    private static final List<String> ZONES =
            List.of("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Sydney");
    private static final Pattern COUNTS = Pattern.compile("\"schedules\":(\\d+),\"expressions\":(\\d+)");

    private static final String FIRST = "24 hours, the first one";
    private static final String MEDIAN = "24 hours, median of 20";
    private static final String WEEK = "168 hours, median of 20";

    @Override
    public List<Wanted> wanted() {
        return List.of(
                Wanted.most("forecast of 10,000 schedules, the first one", NAME, FIRST, 1_000),
                Wanted.most("forecast of 10,000 schedules", NAME, MEDIAN, 1_000));
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.leavesOut(NAME)) {
            return;
        }
        // Without a scheduler, so that nothing fires meanwhile.
        session.runApart(new Roles(List.of("api")), Map.of());
        var api = new ApiClient(session.service());
        for (int endpoint = 0; endpoint < ENDPOINTS; endpoint++) {
            api.createEndpoint(EndpointJson.USUAL.registration(name(endpoint), "http://127.0.0.1:9/"));
        }
        List<String> jobs = api.createSchedules(SCHEDULES, ForecastScenario::schedule);
        Report report = session.report();
        report.add(NAME, "schedules", jobs.size(), "");
        long begin = System.nanoTime();
        String answer = api.forecast(24);
        report.add(NAME, FIRST, (System.nanoTime() - begin) / 1e6, "ms");
        Matcher counts = COUNTS.matcher(answer);
        if (!counts.find()
                || Integer.parseInt(counts.group(1)) < SCHEDULES
                || Integer.parseInt(counts.group(2)) != EXPRESSIONS) {
            report.problem(NAME, "not a forecast of all schedules");
        }
        report.add(NAME, "answer", answer.length() / 1024.0, "KiB");
        report.add(NAME, MEDIAN, median(api, 24), "ms");
        report.add(NAME, WEEK, median(api, 168), "ms");
    }

    private static double median(ApiClient api, int hours) throws IOException, InterruptedException {
        var times = new ArrayList<Double>();
        for (int i = 0; i < REPEATS; i++) {
            long begin = System.nanoTime();
            api.forecast(hours);
            times.add((System.nanoTime() - begin) / 1e6);
        }
        times.sort(null);
        return times.get(REPEATS / 2);
    }

    private static String name(int endpoint) {
        return "bench-forecast-" + endpoint;
    }

    private static String schedule(int n) {
        int expression = n % EXPRESSIONS;
        return "{\"endpoint\":\"%s\",\"trigger\":\"CRON\",\"cron\":\"%s\",\"timezone\":\"%s\"}"
                .formatted(name(n / EXPRESSIONS % ENDPOINTS), cron(expression), ZONES.get(expression % ZONES.size()));
    }

    /** A hundred, each in five zones. */
    private static String cron(int expression) {
        int kind = expression / 5 % 5;
        int number = expression / 25;
        return switch (kind) {
            case 0 -> number + " * * * *";
            case 1 -> number + "-59/" + (number + 5) + " * * * *";
            case 2 -> number + " " + number % 24 + " * * *";
            case 3 -> "*/" + (number % 5 + 1) + " " + number + " * * *";
            default -> number + "-59 * * * *";
        };
    }
}
