package io.taskexec.secret;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class ApiKeysTest {
    @Test
    void keysAreFreshAndOfOneForm() {
        var keys = new HashSet<String>();
        for (var round = 0; round < 1_000; round++) {
            keys.add(ApiKeys.generate());
        }

        assertThat(keys).hasSize(1_000).allMatch(key -> key.matches("te_[0-9A-Za-z]{43}"));
    }

    @Test
    void aFingerprintIsTheSha256OfTheKey() {
        assertThat(HexFormat.of().formatHex(ApiKeys.fingerprint("abc")))
                .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    @Test
    void onlyWhatLooksLikeAKeyIsWellFormed() {
        var key = ApiKeys.generate();

        assertThat(ApiKeys.isWellFormed(key)).isTrue();
        assertThat(ApiKeys.isWellFormed(key + "0")).isFalse();
        assertThat(ApiKeys.isWellFormed(key.replace("te_", "tx_"))).isFalse();
        assertThat(ApiKeys.isWellFormed(key.substring(0, key.length() - 1) + "-"))
                .isFalse();
        assertThat(ApiKeys.isWellFormed("")).isFalse();
    }

    @Test
    void anIdOfAKeyIsShortAndNoOtherHasIt() {
        assertThat(ApiKeys.generateId()).matches("key_[0-9A-Za-z]{11}").isNotEqualTo(ApiKeys.generateId());
    }
}
