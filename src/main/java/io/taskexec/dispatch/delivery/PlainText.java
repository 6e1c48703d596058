package io.taskexec.dispatch.delivery;

/** Text from outside, such as a reason phrase or the message of an exception, made fit for a record. */
public final class PlainText {
    private static final int LONGEST = 300;

    private PlainText() {}

    /** {@code text} in one line without control characters, and not too long. */
    public static String of(String text) {
        var line = text.replaceAll("\\p{Cntrl}+", " ");
        return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "...";
    }

    /** The message of {@code failure}, or the name of its class where it has none. */
    public static String of(Throwable failure) {
        var message = failure.getMessage();
        return of(message == null ? failure.getClass().getSimpleName() : message);
    }
}
