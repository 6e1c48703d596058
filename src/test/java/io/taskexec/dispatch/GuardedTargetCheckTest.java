package io.taskexec.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.dispatch.egress.AddressCache;
import io.taskexec.dispatch.egress.EgressConfig;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.dispatch.egress.EgressPolicy;
import io.taskexec.dispatch.egress.HostLookup;
import io.taskexec.dispatch.egress.TestEgress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class GuardedTargetCheckTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Test
    void aNameWhoseServerIsSilentIsAcceptedLikeOneThatIsUnknown() {
        var policy = new EgressPolicy(EgressConfig.Mode.PRIVATE, List.of(), List.of());
        var guard = new EgressGuard(
                policy, new AddressCache(HostLookup.SYSTEM, _ -> {}, System::nanoTime), TestEgress.NO_INTERFACES);
        var check = new GuardedTargetCheck(guard);

        assertThat(check.refusal("silent.example").await().atMost(PATIENCE)).isNull();
        assertThat(check.refusal(URI.create("http://127.0.0.1/")).await().atMost(PATIENCE))
                .startsWith("is not allowed: ");
    }
}
