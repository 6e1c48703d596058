package io.taskexec.cli.convert;

import io.taskexec.cli.text.PlainLine;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Collects what the schedules of a file become. */
final class Conversion {
    /** The name of a job becomes part of a tag, and names of secrets and callbacks are longer than it. */
    private static final int MAX_NAME = 40;

    private final SourceFormat format;
    private final Instant now;
    private final List<String> remarks = new ArrayList<>();
    private final List<Draft> drafts = new ArrayList<>();
    private final Set<String> names = new HashSet<>();
    private final Set<String> queues = new HashSet<>();

    Conversion(SourceFormat format, Instant now) {
        this.format = format;
        this.now = now;
    }

    /** A time that lies before it is past. */
    Instant now() {
        return now;
    }

    /** Adds a remark on the whole file, unless it is there. */
    void remark(String sentence) {
        if (!remarks.contains(sentence)) {
            remarks.add(sentence);
        }
    }

    /**
     * Adds a schedule.
     *
     * @param title where it comes from
     * @param name that it had; a similar one is found that is allowed and free
     */
    Draft add(String title, String name) {
        var draft = new Draft(title, freeName(name));
        drafts.add(draft);
        return draft;
    }

    /** Returns whether a queue is new, so that it needs a document. */
    boolean isNewQueue(String name) {
        return queues.add(name);
    }

    /** Makes a name of letters, digits and hyphens from any text. */
    static String plainName(String text) {
        var plain = text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        var cut = plain.length() > MAX_NAME ? plain.substring(0, MAX_NAME) : plain;
        var name = cut.replaceAll("^-+|-+$", "");
        return name.isEmpty() ? "schedule" : name;
    }

    private String freeName(String wanted) {
        var base = plainName(wanted);
        var name = base;
        for (var number = 2; !names.add(name); number++) {
            name = base + "-" + number;
        }
        return name;
    }

    /** Returns the manifests. */
    String text() {
        var text = new StringBuilder("# Made by 'taskexec convert " + format.word() + "'. Check it, then run\n"
                + "#   taskexec apply -f FILE --dry-run\n");
        remarks.forEach(remark -> text.append(comment(remark)));
        drafts.forEach(draft -> text.append(draft.text()));
        return text.toString();
    }

    /** Counts the schedules, in a sentence. */
    String summary() {
        return "Converted %d of %d schedules; %d must be completed by hand, %d are commented out."
                .formatted(
                        count(Draft.State.CONVERTED),
                        drafts.size(),
                        count(Draft.State.INCOMPLETE),
                        count(Draft.State.LEFT_OUT));
    }

    private long count(Draft.State state) {
        return drafts.stream().filter(draft -> draft.state() == state).count();
    }

    /** Texts of the file must not end the comment. */
    static String comment(String sentence) {
        return "# " + PlainLine.of(sentence) + "\n";
    }
}
