package io.taskexec.secret;

import java.util.List;

/**
 * One form of a secret, looked for in a view of a text. It takes time in proportion to the text, whatever is in both
 * (Knuth, Morris and Pratt), and finds the beginning of the form at the end of a text too, which may have been cut
 * there.
 *
 * @param before how many characters of the source that the view does not show may belong to the secret before it
 * @param after the same for those after it
 */
record Needle(Form form, String text, int before, int after) {
    /** Longer than a character that has been escaped over and over. */
    private static final int LONGEST_ESCAPE = 40;

    /** Adds where it is in {@code view}. */
    void find(View view, List<TextSpan> found) {
        var searched = view.text();
        var from = searched.indexOf(text.substring(0, form.least()));
        if (from < 0) {
            return;
        }
        var borders = borders();
        var matched = 0;
        for (var at = from; at < searched.length(); at++) {
            if (matched >= form.least() && mayBeginCutEscape(view, at)) {
                found.add(toTheEnd(view, at - matched));
            }
            while (matched > 0 && searched.charAt(at) != text.charAt(matched)) {
                matched = borders[matched - 1];
            }
            if (searched.charAt(at) == text.charAt(matched)) {
                matched++;
            }
            if (matched == text.length()) {
                found.add(span(view, at - matched + 1, at));
                matched = borders[matched - 1];
            }
        }
        if (matched >= form.least()) {
            found.add(toTheEnd(view, searched.length() - matched));
        }
    }

    /** For each beginning, the length of the longest shorter beginning that it ends with. */
    private int[] borders() {
        var borders = new int[text.length()];
        var matched = 0;
        for (var i = 1; i < borders.length; i++) {
            while (matched > 0 && text.charAt(i) != text.charAt(matched)) {
                matched = borders[matched - 1];
            }
            if (text.charAt(i) == text.charAt(matched)) {
                matched++;
            }
            borders[i] = matched;
        }
        return borders;
    }

    private TextSpan toTheEnd(View view, int from) {
        var source = view.source();
        return new TextSpan(source.start(extendedBefore(view, from)), source.start(source.length()));
    }

    private TextSpan span(View view, int from, int to) {
        var source = view.source();
        var last = form == Form.BASE64 ? lastOfBase64(view, to) : lastOfOther(view, to);
        return new TextSpan(source.start(extendedBefore(view, from)), source.start(last + 1));
    }

    private int extendedBefore(View view, int from) {
        var first = view.first(from);
        for (var n = before; n > 0 && first > 0 && belongs(view.source().charAt(first - 1)); n--) {
            first--;
        }
        return first;
    }

    private int lastOfOther(View view, int to) {
        var source = view.source();
        var last = view.last(to);
        for (var n = after; n > 0 && last + 1 < source.length() && belongs(source.charAt(last + 1)); n--) {
            last++;
        }
        return last;
    }

    /** With the character that has the last bits of the secret and the first ones of what follows, and the padding. */
    private int lastOfBase64(View view, int to) {
        var text = view.text();
        var last = to;
        if (after > 0 && last + 1 < text.length() && CharacterKinds.isBase64(text.charAt(last + 1))) {
            last++;
        }
        while (after > 0 && last + 1 < text.length() && text.charAt(last + 1) == '=') {
            last++;
        }
        return view.last(last);
    }

    private boolean belongs(char c) {
        return form == Form.BASE64 ? CharacterKinds.isBase64(c) || c == '-' || c == '_' : CharacterKinds.isDropped(c);
    }

    /** Whether what is left of the text from here on can be an escape that was cut. */
    private static boolean mayBeginCutEscape(View view, int at) {
        var source = view.source();
        var first = view.first(at);
        if (source.start(source.length()) - source.start(first) > LONGEST_ESCAPE || !begins(source, first)) {
            return false;
        }
        for (var i = first + 1; i < source.length(); i++) {
            if (!isOfEscape(source.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean begins(DecodedText source, int index) {
        var c = source.charAt(index);
        return c > '~' || "%&=\\".indexOf(c) >= 0 || (index > 0 && source.charAt(index - 1) == '\\');
    }

    /** Bytes of a character of which some are missing are characters of Latin-1, after {@code ~}. */
    private static boolean isOfEscape(char c) {
        return c > '~' || "%\\&#=;{}".indexOf(c) >= 0 || Character.isLetterOrDigit(c) || Character.isISOControl(c);
    }
}
