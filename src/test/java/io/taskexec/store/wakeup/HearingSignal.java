package io.taskexec.store.wakeup;

/** A {@link DueSignal} as it is while the signals of other processes arrive. */
public final class HearingSignal {
    private HearingSignal() {}

    public static DueSignal create() {
        var signal = new DueSignal();
        signal.hearsOthers(true);
        return signal;
    }
}
