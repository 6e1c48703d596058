package io.taskexec.api.approval;

import static io.taskexec.api.web.PlainPage.escape;

import io.taskexec.api.web.PlainPage;
import io.taskexec.model.wait.Approval;
import io.taskexec.model.wait.Decision;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Draws the page on which a person decides: HTML without scripts, which a phone, a keyboard and a screen reader can
 * use.
 */
final class ApprovalPage {
    /** The longest name of a person, in characters. */
    static final int MOST_NAME = 128;

    private static final String STYLE = """
            body{font:1.0625rem/1.5 system-ui,sans-serif;max-width:42rem;margin:2rem auto;padding:0 \
            1rem;color:#1c1e21;background:#fff;overflow-wrap:anywhere;color-scheme:light dark}
            h1{font-size:1.5rem;line-height:1.25}pre{white-space:pre-wrap;font:inherit}
            label{display:block;margin-top:1rem;font-weight:600}
            input,textarea{font:inherit;width:100%;box-sizing:border-box;padding:.6rem;border:1px solid \
            #5a6069;border-radius:.25rem;color:inherit;background:transparent}
            button{font:inherit;font-weight:600;min-height:2.75rem;margin:1.25rem 1rem 0 0;padding:.5rem \
            1.5rem;border-radius:.25rem;border:2px solid #0b57d0;background:#0b57d0;color:#fff}
            button.reject{background:#fff;color:#a8071a;border-color:#a8071a}
            :focus-visible{outline:3px solid #b25e00;outline-offset:2px}
            .problem{border-left:4px solid #a8071a;padding:.5rem 1rem}.hint{color:#50565e}
            @media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#16181c}.hint{color:#b4bac1}
            button.reject{background:#16181c;color:#ff9b9b;border-color:#ff9b9b}
            input,textarea{border-color:#8b929b}}
            """;

    /** Nothing but this style, and forms that are sent here. */
    static final String POLICY = PlainPage.policy(STYLE, "'self'");

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "d MMMM uuuu, HH:mm 'UTC'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    private ApprovalPage() {}

    /**
     * A form that was sent and is shown again.
     *
     * @param problem that keeps it from being taken
     * @param field that is to be mended
     */
    record Refused(String problem, Field field, String name, String comment) {
        /** The field that is to be mended. */
        enum Field {
            NAME,
            COMMENT,
            DECISION
        }

        private static String marks(@Nullable Refused refused, Field field) {
            return refused == null || refused.field() != field
                    ? ""
                    : " aria-describedby=\"problem\" aria-invalid=\"true\" autofocus";
        }
    }

    /** Whether a question without a decision can be decided on. */
    enum State {
        OPEN,
        /** The attempt of this address has failed, and a later one asks. */
        ASKED_ANEW,
        /** The execution has ended. */
        CLOSED
    }

    /** The question, with a form or with the decision. */
    static String of(Approval approval, State state, @Nullable Refused refused) {
        var decision = approval.decision();
        var body = new StringBuilder("<h1>%s</h1>\n".formatted(escape(title(approval))));
        if (approval.details() != null) {
            body.append("<pre>%s</pre>\n".formatted(escape(approval.details())));
        }
        if (decision != null) {
            body.append(decided(approval, decision));
        } else {
            body.append(
                    switch (state) {
                        case OPEN -> form(approval, refused);
                        case ASKED_ANEW ->
                            status("This address is no longer in use: the question was asked anew, at"
                                    + " another address.");
                        case CLOSED ->
                            status("This question is closed: there was no decision in time, or the job was"
                                    + " cancelled.");
                    });
        }
        return page((refused == null ? "" : "Error: ") + title(approval), body.toString());
    }

    private static String status(String sentence) {
        return "<p role=\"status\">%s</p>\n".formatted(escape(sentence));
    }

    private static String title(Approval approval) {
        return approval.title().isBlank() ? "Approval" : approval.title();
    }

    /** A page that only says something. */
    static String saying(String title, String sentence) {
        return page(title, "<h1>%s</h1>\n<p>%s</p>\n".formatted(escape(title), escape(sentence)));
    }

    private static String decided(Approval approval, Decision decision) {
        var comment = approval.comment() == null
                ? ""
                : "<p>Comment:</p>\n<pre>%s</pre>\n".formatted(escape(approval.comment()));
        return "<p role=\"status\"><strong>%s</strong> by %s on %s.</p>\n%s"
                .formatted(
                        decision == Decision.APPROVE ? "Approved" : "Rejected",
                        escape(String.valueOf(approval.decidedBy())),
                        time(approval.decidedAt()),
                        comment);
    }

    private static String form(Approval approval, @Nullable Refused refused) {
        var problem = refused == null
                ? ""
                : "<p class=\"problem\" role=\"alert\" id=\"problem\">%s</p>\n".formatted(escape(refused.problem()));
        return """
                <p class="hint">Please decide before %s.</p>
                %s<form method="post">
                <button type="submit" disabled hidden aria-hidden="true">No default</button>
                <label for="name">Your name</label>
                <input id="name" name="name" value="%s" required maxlength="%d" autocomplete="name"%s>
                <label for="comment">Comment (optional)</label>
                <textarea id="comment" name="comment" rows="4" maxlength="%d"%s>%s</textarea>
                <button type="submit" name="decision" value="approve">Approve</button>
                <button type="submit" name="decision" value="reject" class="reject">Reject</button>
                </form>
                <p class="hint">Your name, your comment, the time and your network address are recorded.</p>
                """.formatted(
                        time(approval.deadline()),
                        problem,
                        refused == null ? "" : escape(refused.name()),
                        MOST_NAME,
                        Refused.marks(refused, Refused.Field.NAME),
                        ApprovalResource.MOST_COMMENT,
                        Refused.marks(refused, Refused.Field.COMMENT),
                        refused == null ? "" : escape(refused.comment()));
    }

    private static String time(@Nullable Instant time) {
        return time == null ? "" : "<time datetime=\"%s\">%s</time>".formatted(time, TIME.format(time));
    }

    private static String page(String title, String body) {
        var head = "<meta name=\"robots\" content=\"noindex\">\n";
        return PlainPage.html(title, STYLE, head, "<main>\n" + body + "</main>\n");
    }
}
