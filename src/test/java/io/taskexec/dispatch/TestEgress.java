package io.taskexec.dispatch;

import java.util.List;
import java.util.Optional;

/** A configuration with a mode and no ranges. */
record TestEgress(Mode mode) implements EgressConfig {
    @Override
    public Optional<List<String>> allowCidrs() {
        return Optional.empty();
    }

    @Override
    public Optional<List<String>> denyCidrs() {
        return Optional.empty();
    }
}
