package io.taskexec.cli.convert;

import io.taskexec.cli.text.MalformedTextException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Converts the crontab of a user: crontab(5), with the zones of cronie. */
final class CrontabConverter implements Converter {
    private static final Pattern VARIABLE =
            Pattern.compile("\\s*(?:'([^']*)'|\"([^\"]*)\"|([A-Za-z_]\\w*))\\s*=\\s*(.*?)\\s*");
    private static final Pattern ENTRY =
            Pattern.compile("\\s*(@\\w+|(?:[-*0-9A-Za-z,/~#?]+\\s+){4}[-*0-9A-Za-z,/~#?]+)\\s+(\\S.*)");

    /** A random value of cronie, of the whole field or a range. */
    private static final Pattern RANDOM = Pattern.compile("(?<![\\w-])(\\d+)?~(\\d+)?");

    private static final String NO_RETRIES = "cron neither retries nor makes up for missed times, and so do these.";

    private final Map<String, String> variables = new HashMap<>();
    private String zone;
    private boolean namesZone;

    /** @param zone where the file names none */
    CrontabConverter(String zone) {
        this.zone = zone;
    }

    @Override
    public void convert(String file, String text, Conversion into) throws MalformedTextException {
        var number = 0;
        for (var line : text.split("\\R", -1)) {
            number++;
            if (line.isBlank() || line.stripLeading().startsWith("#")) {
                continue;
            }
            var variable = VARIABLE.matcher(line);
            var entry = ENTRY.matcher(line);
            if (variable.matches()) {
                var name = variable.group(3) != null
                        ? variable.group(3)
                        : variable.group(2) != null ? variable.group(2) : variable.group(1);
                set(name, unquoted(variable.group(4)), into);
            } else if (entry.matches()) {
                add(entry.group(1), entry.group(2), number, into);
            } else {
                throw new MalformedTextException(file + ":" + number
                        + ": This is no line of a crontab: five fields or a name such as @daily," + " and a command.");
            }
        }
        into.remark(NO_RETRIES);
    }

    private static String unquoted(String value) {
        var isQuoted = value.length() > 1
                && (value.startsWith("\"") || value.startsWith("'"))
                && value.endsWith(value.substring(0, 1));
        return isQuoted ? value.substring(1, value.length() - 1) : value;
    }

    private void set(String name, String value, Conversion into) {
        variables.put(name, value);
        switch (name) {
            case "CRON_TZ" -> {
                zone = value;
                namesZone = true;
            }
            case "TZ" ->
                into.remark("TZ has no effect here: in a crontab it is for the commands; CRON_TZ, or --tz, decides when"
                        + " they run.");
            case "MAILTO", "MAILFROM" ->
                into.remark(name + " has no equivalent: name an endpoint with on_failure to hear of failures.");
            case "RANDOM_DELAY" ->
                into.remark("RANDOM_DELAY has no equivalent for the whole file: give jobs a jitter.");
            default -> into.remark(name + " is for commands, and not used beside the URLs and headers of calls.");
        }
    }

    private void add(String schedule, String command, int number, Conversion into) {
        var input = CommandInput.of(command);
        var words = ShellWords.parse(input.command(), variables);
        var draft = into.add("Line " + number + ".", name(words));
        if (!namesZone) {
            into.remark("The crontab names no time zone, so " + zone + " is used: --tz names another one.");
        }
        draft.job().putObject("catch_up").put("mode", "NONE");
        try {
            timetable(schedule, draft, into);
        } catch (NoEquivalentException e) {
            draft.leaveOutJob(String.valueOf(e.getMessage()));
        }
        try {
            var call = CurlCommand.parse(words, input.standardInput());
            HttpRequestDraft.attempts(draft, 1);
            if (call == null) {
                var request = new HttpRequestDraft(draft);
                request.withoutUrl("The command is not a plain call of a URL by curl or wget. Let a service run it,"
                        + " and set its URL.");
                request.finish();
            } else {
                call.into(draft);
            }
        } catch (NoEquivalentException e) {
            draft.leaveOut(String.valueOf(e.getMessage()));
        }
    }

    private void timetable(String schedule, Draft draft, Conversion into) throws NoEquivalentException {
        var expression = schedule.toLowerCase(Locale.ROOT);
        if (expression.equals("@reboot")) {
            throw new NoEquivalentException("@reboot means the start of a machine, which is no time.");
        }
        if (expression.contains("~")) {
            draft.remark("A random value becomes H, a stable one: " + schedule);
        }
        new TimetableDraft(draft, into.now())
                .cron(
                        expression.equals("@every_minute")
                                ? "* * * * *"
                                : RANDOM.matcher(schedule.replaceAll("\\s+", " "))
                                        .replaceAll(CrontabConverter::hashed),
                        zone,
                        null,
                        null);
    }

    private static String hashed(MatchResult random) {
        return random.group(1) == null || random.group(2) == null
                ? "H"
                : "H(" + random.group(1) + "-" + random.group(2) + ")";
    }

    /** The last part of the URL or program. */
    private static String name(ShellWords words) {
        var url = words.words().stream()
                .filter(word -> word.matches("(?i)https?://.*"))
                .findFirst();
        return url.map(CrontabConverter::nameOfUrl)
                .orElseGet(() -> words.words().stream()
                        .map(word -> word.replaceFirst(".*/", ""))
                        .filter(word -> !word.isEmpty())
                        .findFirst()
                        .orElse("command"));
    }

    /** Host and last part: one that is no word may be a secret. */
    private static String nameOfUrl(String url) {
        var path = url.replaceFirst("(?i)^https?://", "")
                .replaceFirst("[?#].*", "")
                .replaceFirst("^[^/@]*@", "")
                .replaceFirst("/+$", "");
        var host = path.replaceFirst("[/:].*", "");
        var last = path.substring(path.lastIndexOf('/') + 1);
        return path.contains("/") && last.matches("[A-Za-z._-]{1,24}") ? host + "-" + last : host;
    }

    /** A command, and the text after its first percent sign, which it reads. */
    private record CommandInput(String command, String standardInput) {
        static CommandInput of(String text) {
            var parts = text.split("(?<!\\\\)%", 2);
            return new CommandInput(
                    parts[0].replace("\\%", "%").strip(),
                    parts.length == 1
                            ? ""
                            : parts[1].replaceAll("(?<!\\\\)%", "\n").replace("\\%", "%"));
        }
    }
}
