package io.taskexec.dispatch.egress;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A configuration with a mode and no ranges. */
public record TestEgress(Mode mode) implements EgressConfig {
    /** A machine without a network interface. */
    public static final OwnAddresses NO_INTERFACES = new OwnAddresses(Set::of, Runnable::run, System::nanoTime);

    @Override
    public Optional<List<String>> allowCidrs() {
        return Optional.empty();
    }

    @Override
    public Optional<List<String>> denyCidrs() {
        return Optional.empty();
    }
}
