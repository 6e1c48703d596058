package io.taskexec.template;

/** A template that cannot be parsed; the message is fit for the client and says what is wrong where. */
public final class TemplateSyntaxException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String problem;

    TemplateSyntaxException(String problem, int offset) {
        this(problem + " at offset " + offset);
    }

    TemplateSyntaxException(String problem) {
        super(problem);
        this.problem = problem;
    }

    /** The same problem, found in the string at {@code pointer} of a tree. */
    TemplateSyntaxException in(String pointer) {
        return new TemplateSyntaxException(problem + " of the string at '" + pointer + "'");
    }
}
