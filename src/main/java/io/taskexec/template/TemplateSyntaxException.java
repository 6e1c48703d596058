package io.taskexec.template;

/** A template that cannot be parsed; the message is fit for the client and says what is wrong where. */
public final class TemplateSyntaxException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String problem;
    private final String pointer;

    TemplateSyntaxException(String problem, int offset) {
        this(problem + " at offset " + offset);
    }

    TemplateSyntaxException(String problem) {
        this(problem, problem, "");
    }

    private TemplateSyntaxException(String message, String problem, String pointer) {
        super(message);
        this.problem = problem;
        this.pointer = pointer;
    }

    /** The same problem, found in the string at {@code pointer} of a tree. */
    TemplateSyntaxException in(String pointer) {
        return new TemplateSyntaxException(problem + " of the string at '" + pointer + "'", problem, pointer);
    }

    /** JSON Pointer to the string in its tree; empty when it is the tree, or when no single string is to blame. */
    public String pointer() {
        return pointer;
    }
}
