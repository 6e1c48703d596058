package io.taskexec.model;

/** A setting that is on or off: the usual conversion to a boolean takes every word that it does not know for false. */
public enum Switch {
    TRUE,
    FALSE;

    /** Whether it is on. */
    public boolean isOn() {
        return this == TRUE;
    }
}
