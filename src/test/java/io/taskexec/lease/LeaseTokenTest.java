package io.taskexec.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeaseTokenTest {
    @Test
    void itIsReadBackFromItsText() {
        var token = new LeaseToken(UUID.randomUUID(), 32_767, -1);

        assertThat(token.toText()).matches("[A-Za-z0-9_-]{38}");
        assertThat(LeaseToken.parse(token.toText())).isEqualTo(token);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "++++++++++++++++++++++++++++++++++++++"})
    void anythingElseIsNoLease(String text) {
        assertThat(LeaseToken.parse(text)).isNull();
    }
}
