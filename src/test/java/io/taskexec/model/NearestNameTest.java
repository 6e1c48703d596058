package io.taskexec.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestNameTest {
    private static final List<String> KNOWN =
            List.of("status", "from", "to", "limit", "cursor", "FAILED", "created_from", "created_before");

    @ParameterizedTest
    @CsvSource({
        "statuss, status",
        "sttaus, status",
        "STATUS, status",
        "form, from",
        "failed, FAILED",
        "curser, cursor",
        "TO, to",
        "createdfrom, created_from",
        "created_form, created_from",
        "creatd_before, created_before"
    })
    void aSlipOrAnotherCaseFindsTheName(String name, String meant) {
        assertThat(NearestName.of(name, KNOWN)).isEqualTo(meant);
    }

    @ParameterizedTest
    @CsvSource({"page", "tu", "x", "offset", "''", "created_after", "created_to"})
    void aNameThatIsLikeNoOtherFindsNone(String name) {
        assertThat(NearestName.of(name, KNOWN)).isNull();
    }

    @Test
    void ofTwoThatAreAsNearTheFirstOfTheAlphabetIsTaken() {
        assertThat(NearestName.of("tap", List.of("tar", "tag"))).isEqualTo("tag");
        assertThat(NearestName.of("tap", List.of("tag", "tar"))).isEqualTo("tag");
    }

    @Test
    void aHintIsTheEndOfASentence() {
        assertThat(NearestName.hint("limt", KNOWN, ".")).isEqualTo("; did you mean limit?");
        assertThat(NearestName.hint("page", KNOWN, ".")).isEqualTo(".");
    }
}
