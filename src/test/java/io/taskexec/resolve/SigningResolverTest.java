package io.taskexec.resolve;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.model.delivery.DeliveryExtras;
import io.taskexec.model.delivery.DeliveryExtras.CloudEvent;
import io.taskexec.model.endpoint.IdentitySpec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SigningResolverTest {
    private static final String KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    private final SigningResolver signing = new SigningResolver(() -> "/here");

    @Test
    void anEndpointThatAsksForNothingGetsNothing() {
        assertThat(signing.extras(IdentitySpec.NONE, Map.of("other", KEY))).isSameAs(DeliveryExtras.NONE);
    }

    @Test
    void theSourceOfEventsIsTheSetting() {
        var extras = signing.extras(new IdentitySpec(List.of(), "com.example.sent"), Map.of());

        assertThat(extras).isEqualTo(new DeliveryExtras(null, new CloudEvent("/here", "com.example.sent")));
    }

    @Test
    void allNamedSecretsSignInTheirOrder() {
        var values = Map.of("new", "whsec_" + "b".repeat(32), "old", KEY, "other", "not a key");

        var extras = signing.extras(new IdentitySpec(List.of("new", "old"), null), values);
        var signer = Objects.requireNonNull(extras.signer());

        var body = "{\"test\": 2432232314}".getBytes(UTF_8);
        assertThat(signer.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body))
                .matches("v1,\\S{44} v1,g0hM9SsE\\+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"hunter2-hunter2", "whsec_hunter2", "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=", "whsk_%"
            })
    void aSecretThatCannotSignIsNamedWithoutItsValue(String value) {
        assertThatThrownBy(() -> signing.extras(new IdentitySpec(List.of("k"), null), Map.of("k", value)))
                .isInstanceOf(UnusableSecretException.class)
                .hasMessageStartingWith("The secret 'k' cannot sign: its value ")
                .message()
                .doesNotContain("hunter2", "1SiA");
    }

    @Test
    void aSecretThatIsGoneIsNamed() {
        assertThatThrownBy(() -> signing.extras(new IdentitySpec(List.of("gone"), null), Map.of()))
                .isInstanceOf(UnusableSecretException.class)
                .hasMessage("There is no secret 'gone' to sign with.");
    }
}
