package io.taskexec.schema;

/** A text that ends the match which reads it when the time of the check is over. */
final class MeteredText implements CharSequence {
    private static final int READS_PER_LOOK = 16;

    private final String text;
    private int reads;

    MeteredText(String text) {
        this.text = text;
    }

    @Override
    public char charAt(int index) {
        if (++reads % READS_PER_LOOK == 0) {
            CheckBudget.look();
        }
        return text.charAt(index);
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.subSequence(start, end);
    }

    @Override
    public String toString() {
        return text;
    }
}
