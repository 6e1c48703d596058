package io.taskexec.dispatch;

/** Text from outside, such as a reason phrase or the message of an exception, made fit for a record. */
final class PlainText {
    private static final int LONGEST = 300;

    private PlainText() {}

    /** {@code text} in one line without control characters, and not too long. */
    static String of(String text) {
        var line = text.replaceAll("\\p{Cntrl}+", " ");
        return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "...";
    }
}
