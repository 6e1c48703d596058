package io.taskexec.client.worker;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;

/**
 * All that tasks of a worker share.
 *
 * @param mapper reads tasks and writes results
 * @param states what handlers share
 * @param cpu the pool for what computes
 */
record Environment(ObjectMapper mapper, List<Object> states, CpuPool cpu) {
    <S> S state(Class<S> type) {
        return states.stream()
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst()
                .orElseThrow(
                        () -> new IllegalStateException("The worker has no state of the type " + type.getName() + "."));
    }
}
