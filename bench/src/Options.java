import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;

/** What the command line asked for. Every number has a limit, so that no run is unbounded. */
record Options(
        List<String> scenarios,
        Path program,
        Optional<URI> url,
        Optional<String> apiKey,
        int connections,
        int jobs,
        int drainJobs,
        int delayedJobs,
        int finished,
        int backlog,
        int ratePerSecond,
        int seconds,
        int schedules,
        int tickSeconds,
        int history,
        int flowPercent,
        int workers,
        Optional<Integer> workerSlots,
        Optional<Path> out,
        boolean openTransaction,
        boolean quick,
        boolean keep) {

    static final String USAGE = """
            Usage: bench/run [SCENARIO...] [OPTION...]

            Scenarios (all of these but dashboard, retention and soak, in this order, when none is named):
              raw start ready create batch copy drain memory db-scheduler floor cold latency delayed idle
              ticks burst roles workers keyed chains fan-in deferral pull forecast
              history backlog later horizon transports dashboard retention soak drift
            Only when named, or all with "flow":
              flow-cap flow-rate flow-order flow-fair flow-shares flow-aging flow-pause flow-adaptive flow-queues

              --quick              raw create batch drain db-scheduler floor cold latency with fewer jobs
              --program FILE       the launcher to start (default: the taskexec of this checkout)
              --url URL            measure a program that already runs on this machine
              --api-key KEY        its API key
              --connections N      connections that create jobs (default 32)
              --jobs N             jobs to create, schedules in a burst (default 20000)
              --drain-jobs N       jobs that are queued at one moment (default 100000)
              --delayed-jobs N     jobs with a run time in the future, at the rate of latency (default 2000)
              --finished N         executions in the long history (default 3000000)
              --backlog N          jobs that wait, and as many for the future; of later too (default 1000000)
              --rate N             jobs per second of latency, roles, delayed and soak (default 200)
              --seconds N          how long latency and soak last (default 20)
              --open-transaction   soak beside a transaction that stays open
              --schedules N        schedules of the ticks scenario (default 1000)
              --tick-seconds N     how long the ticks scenario lasts (default 120)
              --history N          executions of dashboard and retention (default 5000000)
              --flow-percent N     of the jobs of the flow scenarios, to shorten them (default 100)
              --workers N          worker processes of the workers scenario, against one (default 4)
              --worker-slots N     TE_WORKER_MAX_CONCURRENT of the program (default: its own)
              --out FILE           write the figures as markdown too (all scenarios: docs/figures.md)
              --keep               keep the data directory and the program's log
            """;

    Options {
        if (url.isPresent() != apiKey.isPresent()) {
            throw new IllegalArgumentException("--url and --api-key belong together.");
        }
        if (url.isPresent()
                && !List.of("127.0.0.1", "localhost").contains(url.get().getHost())) {
            throw new IllegalArgumentException("--url must name this machine: the clocks and the receiver are here.");
        }
    }

    /** How many of so many jobs, or milliseconds, a flow scenario is to have. */
    int flowPart(int whole) {
        return Math.max(1, (int) ((long) whole * flowPercent / 100));
    }

    static Options parse(Path root, String[] arguments) {
        var parsed = new Parser(
                new ArrayDeque<>(List.of(arguments)), root.resolve("taskexec"), root.resolve("docs/figures.md"));
        while (!parsed.words.isEmpty()) {
            parsed.take(parsed.words.remove());
        }
        return parsed.options();
    }

    /** The command line, half read. */
    private static final class Parser {
        private final Queue<String> words;
        private final Path performancePage;
        private final List<String> scenarios = new ArrayList<>();
        private Path program;
        private Optional<URI> url = Optional.empty();
        private Optional<String> apiKey = Optional.empty();
        private int connections = 32;
        private int jobs = 20_000;
        private int drainJobs = 100_000;
        private int delayedJobs = 2_000;
        private int finished = 3_000_000;
        private int backlog = 1_000_000;
        private int ratePerSecond = 200;
        private int seconds = 20;
        private int schedules = 1_000;
        private int tickSeconds = 120;
        private int history = 5_000_000;
        private int flowPercent = 100;
        private int workers = 4;
        private Optional<Integer> workerSlots = Optional.empty();
        private Optional<Path> out = Optional.empty();
        private boolean openTransaction;
        private boolean quick;
        private boolean keep;

        Parser(Queue<String> words, Path program, Path performancePage) {
            this.words = words;
            this.performancePage = performancePage;
            this.program = program;
        }

        void take(String word) {
            switch (word) {
                case "--quick" -> quick();
                case "--program" -> program = Path.of(value(word)).toAbsolutePath();
                case "--url" -> url = Optional.of(URI.create(value(word)));
                case "--api-key" -> apiKey = Optional.of(value(word));
                case "--connections" -> connections = number(word, 256);
                case "--jobs" -> jobs = number(word, 1_000_000);
                case "--drain-jobs" -> drainJobs = number(word, 1_000_000);
                case "--delayed-jobs" -> delayedJobs = number(word, 100_000);
                case "--finished" -> finished = number(word, 100_000_000);
                case "--backlog" -> backlog = number(word, 20_000_000);
                case "--rate" -> ratePerSecond = number(word, 5_000);
                case "--seconds" -> seconds = number(word, 3_600);
                case "--schedules" -> schedules = number(word, 100_000);
                case "--tick-seconds" -> tickSeconds = number(word, 1_800);
                case "--history" -> history = number(word, 50_000_000);
                case "--flow-percent" -> flowPercent = number(word, 100);
                case "--workers" -> workers = number(word, 32);
                case "--worker-slots" -> workerSlots = Optional.of(number(word, 10_000));
                case "--out" -> out = Optional.of(Path.of(value(word)));
                case "--open-transaction" -> openTransaction = true;
                case "--keep" -> keep = true;
                case "flow" -> scenarios.addAll(Scenario.flow());
                default -> scenarios.add(scenario(word));
            }
        }

        /** Enough to see a regression; what stands behind it on the command line still counts. */
        private void quick() {
            scenarios.addAll(List.of("raw", "create", "batch", "drain", "db-scheduler", "floor", "cold", "latency"));
            quick = true;
            jobs = 10_000;
            drainJobs = 30_000;
            seconds = 10;
        }

        Options options() {
            return new Options(
                    scenarios.isEmpty() ? Scenario.usual() : List.copyOf(scenarios),
                    program,
                    url,
                    apiKey,
                    connections,
                    jobs,
                    drainJobs,
                    delayedJobs,
                    finished,
                    backlog,
                    ratePerSecond,
                    seconds,
                    schedules,
                    tickSeconds,
                    history,
                    flowPercent,
                    workers,
                    workerSlots,
                    scenarios.isEmpty() && out.isEmpty() ? Optional.of(performancePage) : out,
                    openTransaction,
                    quick,
                    keep);
        }

        private String value(String word) {
            if (words.isEmpty()) {
                throw new IllegalArgumentException(word + " needs a value.");
            }
            return words.remove();
        }

        private int number(String word, int max) {
            String value = value(word);
            if (!value.matches("[0-9]{1,9}") || Integer.parseInt(value) < 1 || Integer.parseInt(value) > max) {
                throw new IllegalArgumentException(word + " must be a number from 1 to " + max + ".");
            }
            return Integer.parseInt(value);
        }

        private static String scenario(String word) {
            if (!Scenario.names().contains(word)) {
                throw new IllegalArgumentException("There is no scenario or option named " + word + ".");
            }
            return word;
        }
    }
}
