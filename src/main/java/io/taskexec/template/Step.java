package io.taskexec.template;

/** One step of a path into a JSON tree; its string form is how a template writes it. */
public sealed interface Step {
    /** To the member of an object. */
    record Name(String name) implements Step {
        @Override
        public String toString() {
            return "." + name;
        }
    }

    /** To the element of an array, counted from 0. */
    record Index(int index) implements Step {
        @Override
        public String toString() {
            return "[" + index + "]";
        }
    }
}
