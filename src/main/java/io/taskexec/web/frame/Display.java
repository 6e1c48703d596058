package io.taskexec.web.frame;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.qute.RawString;
import io.taskexec.api.web.PlainPage;
import io.taskexec.model.ProgramClock;
import java.math.BigDecimal;
import java.math.MathContext;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Shows values as a reader wants them; templates call it {@code show}. */
public final class Display {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);
    private static final DateTimeFormatter LOCAL = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss xxx", Locale.ROOT);
    private static final Pattern INSTANT = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z");
    private static final int SHORT_ID = 8;
    private static final int MOST_LINES = 300;
    private static final double TINY = 0.1;

    private final Map<String, Function<Object, @Nullable Object>> functions;

    /** For the few texts that a page is about. */
    private final TextRoom texts = new TextRoom(36_000, 8_000, 4);

    /** For those of which a page has many. */
    private final TextRoom briefs = new TextRoom(16_000, 2_000, 12);

    Display(ZoneId zone) {
        functions = Map.ofEntries(
                Map.entry("time", value -> time(instant(value), zone)),
                Map.entry("clock", value -> TIME.format(instant(value).atZone(zone))),
                Map.entry("local", value -> LOCAL.format(OffsetDateTime.parse(value.toString()))),
                Map.entry("ago", value -> ago(instant(value))),
                Map.entry("ms", value -> millis(((Number) value).doubleValue())),
                Map.entry("number", value -> number(((Number) value).doubleValue())),
                Map.entry(
                        "duration",
                        value ->
                                millis((double) Duration.parse(value.toString()).toMillis())),
                Map.entry("json", value -> texts.take(json(value))),
                Map.entry("text", value -> texts.take(value.toString())),
                Map.entry(
                        "whole",
                        value -> texts.fits(value.toString()) ? texts.take(value.toString()) : JsonValues.ABSENT),
                Map.entry("brief", value -> briefs.take(json(value))),
                Map.entry("sentence", value -> briefs.take(sentence(value.toString(), zone))),
                Map.entry("lines", value -> lines((List<?>) value)),
                Map.entry("plural", value -> plural(((Number) value).longValue())),
                Map.entry("endpoint", value -> endpoint(value.toString())),
                Map.entry("path", value -> encode(value.toString())),
                Map.entry("shortId", value -> shortId(value.toString())),
                Map.entry("words", value -> value.toString().replace('_', ' ').toLowerCase(Locale.ROOT)),
                Map.entry("lower", value -> value.toString().toLowerCase(Locale.ROOT)),
                Map.entry("list", value -> briefs.take(list(value))),
                Map.entry("entries", Display::entries),
                Map.entry("counts", Display::counts));
    }

    @Nullable
    Object apply(String name, @Nullable Object value) {
        var function = functions.get(name);
        if (function == null) {
            throw new IllegalArgumentException("a template wants 'show." + name + "', which does not exist");
        }
        return value == null || JsonValues.isAbsent(value) ? null : function.apply(value);
    }

    private static Instant instant(Object value) {
        return value instanceof Instant instant
                ? instant
                : OffsetDateTime.parse(value.toString()).toInstant();
    }

    private static RawString time(Instant time, ZoneId zone) {
        return new RawString("<time datetime=\"%s\" title=\"%s\">%s</time>"
                .formatted(time, ago(time), PlainPage.escape(TIME.format(time.atZone(zone)))));
    }

    /** The distance from now, with the one unit that says most. */
    static String ago(Instant time) {
        var distance = Duration.between(time, ProgramClock.now());
        return distance.isNegative() ? "in " + rough(distance.negated()) : rough(distance) + " ago";
    }

    private static String rough(Duration time) {
        return time.toDays() > 1
                ? time.toDays() + " days"
                : time.toHours() > 1
                        ? time.toHours() + " h"
                        : time.toMinutes() > 1 ? time.toMinutes() + " min" : time.toSeconds() + " s";
    }

    /** A duration, with three digits at most. */
    public static String millis(double millis) {
        var seconds = millis / 1000;
        return seconds < 1
                ? number(millis) + " ms"
                : seconds < 120
                        ? number(seconds) + " s"
                        : seconds < 7200
                                ? Math.round(seconds / 60) + " min"
                                : seconds < 172_800
                                        ? Math.round(seconds / 3600) + " h"
                                        : Math.round(seconds / 86_400) + " days";
    }

    /** A number with commas; a small one with a digit behind the point, a tiny one with its first that is not 0. */
    public static String number(double value) {
        if (value != 0 && Math.abs(value) < TINY) {
            return new BigDecimal(value).round(new MathContext(1)).toPlainString();
        }
        return value == Math.rint(value) || Math.abs(value) >= 100
                ? String.format(Locale.ROOT, "%,d", Math.round(value))
                : String.format(Locale.ROOT, "%.1f", value);
    }

    /** A link to an endpoint, unless it is one of our own. */
    private static RawString endpoint(String name) {
        var text = PlainPage.escape(name);
        return new RawString(isOwn(name) ? text : "<a href=\"%s\">%s</a>".formatted(endpointPath(name), text));
    }

    /** The page of an endpoint; that of the executions of one of our own, which has no page. */
    public static String endpointPath(String name) {
        return (isOwn(name) ? "/ui/executions?endpoint=" : "/ui/endpoints/") + encode(name);
    }

    private static boolean isOwn(String endpoint) {
        return endpoint.startsWith("_");
    }

    /** The ending of a noun behind a number. */
    public static String plural(long number) {
        return number == 1 ? "" : "s";
    }

    /** A sentence of the API with its times as the pages show times. */
    private static String sentence(String text, ZoneId zone) {
        return INSTANT.matcher(text).replaceAll(found -> {
            try {
                return TIME.format(Instant.parse(found.group()).atZone(zone));
            } catch (DateTimeParseException _) {
                return found.group();
            }
        });
    }

    /** As many of the lines as there is room for, each with its {@code kind}, and how many more there are. */
    private RawString lines(List<?> lines) {
        var html = new StringBuilder();
        var shown = 0;
        while (shown < Math.min(lines.size(), MOST_LINES)) {
            var line = (Map<?, ?>) lines.get(shown);
            var text = String.valueOf(line.get("text"));
            if (!texts.hasRoom(text)) {
                break;
            }
            html.append("<span class=\"%s\">%s</span>\n".formatted(line.get("kind"), texts.take(text)));
            shown++;
        }
        var more = lines.size() - shown;
        return new RawString(more == 0 ? html.toString() : html + "… %,d more line%s\n".formatted(more, plural(more)));
    }

    private static String json(Object value) {
        return value instanceof JsonNode node ? node.toPrettyString() : value.toString();
    }

    /** A segment of a path or a value of a query. */
    public static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** The text that was {@link #encode}d; null of a text that never was. */
    static @Nullable String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    /** The end of an id: its beginning is the time, which neighbours share. */
    private static String shortId(String id) {
        return "…" + id.substring(Math.max(0, id.length() - SHORT_ID));
    }

    private static String list(Object value) {
        return value instanceof List<?> list
                ? list.stream().map(String::valueOf).collect(Collectors.joining(", "))
                : value.toString();
    }

    /** The numbers of an object; those that are lower bounds, as its {@code more} says, have a plus sign. */
    private static Map<String, String> counts(Object value) {
        var object = (JsonNode) value;
        var more = object.path("more").valueStream().map(JsonNode::asText).toList();
        var counts = new HashMap<String, String>();
        object.forEachEntry((name, count) -> {
            if (count.isNumber()) {
                counts.put(name, number(count.doubleValue()) + (more.contains(name) ? "+" : ""));
            }
        });
        return counts;
    }

    private static List<Map<String, @Nullable Object>> entries(Object value) {
        return ((JsonNode) value)
                .properties().stream()
                        .map(entry -> {
                            var map = new HashMap<String, @Nullable Object>();
                            map.put("name", entry.getKey());
                            map.put("value", JsonValues.plain(entry.getValue()));
                            return (Map<String, @Nullable Object>) map;
                        })
                        .toList();
    }
}
