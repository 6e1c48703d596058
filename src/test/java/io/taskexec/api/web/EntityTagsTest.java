package io.taskexec.api.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntityTagsTest {
    private static final Instant CREATED = Instant.parse("2026-11-20T12:00:00.123456Z");
    private static final String TAG = EntityTag.of(3, CREATED);

    private static boolean matches(String... lines) {
        return EntityTags.ifMatch(List.of(lines)).holds(3, CREATED);
    }

    private static boolean names(String... lines) {
        return EntityTags.noneMatchNames(List.of(lines), TAG);
    }

    @Test
    void aTagTellsVersionsAndLivesApart() {
        assertThat(TAG).matches("\"[A-Za-z0-9_-]{16}\"").isEqualTo(EntityTag.of(3, CREATED));
        assertThat(EntityTag.of(4, CREATED)).isNotEqualTo(TAG);
        assertThat(EntityTag.of(3, CREATED.plusNanos(1000))).isNotEqualTo(TAG);
    }

    @Test
    void ifMatchTakesAnythingOneTagOrAList() {
        assertThat(matches()).isTrue();
        assertThat(matches("*")).isTrue();
        assertThat(matches(" *\t")).isTrue();
        assertThat(matches(TAG)).isTrue();
        assertThat(matches("\"other\"")).isFalse();
        assertThat(matches("\"\"")).isFalse();
        assertThat(matches("\"a,b\" , W/\"c\",, " + TAG + " ,")).isTrue();
        assertThat(matches("\"a\"", "\"b\"")).isFalse();
        assertThat(matches("\"a\"", TAG)).as("several lines").isTrue();
    }

    @Test
    void aWeakTagNeverMatchesButNamesWhatIsThere() {
        assertThat(matches("W/" + TAG)).isFalse();
        assertThat(names("W/" + TAG)).isTrue();
        assertThat(names(TAG)).isTrue();
        assertThat(names("*")).isTrue();
        assertThat(names("\"other\", W/\"another\"")).isFalse();
        assertThat(names()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                ",",
                "a",
                "\"",
                "\"a",
                "a\"",
                "'a'",
                "w/\"a\"",
                "W/a",
                "W /\"a\"",
                "W/",
                "\"a\" \"b\"",
                "\"a\"\"b\"",
                "\"a\"; \"b\"",
                "*, \"a\"",
                "\"a\", *",
                "**",
                "\"a b\"",
                "\"a\\\"b\""
            })
    void whatIsNoListOfTagsIsRefused(String header) {
        var forWriting = catchThrowableOfType(ApiException.class, () -> matches(header));
        var forReading = catchThrowableOfType(ApiException.class, () -> names(header));

        assertThat(forWriting.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(forWriting).hasMessageContaining("If-Match");
        assertThat(forReading.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(forReading).hasMessageContaining("If-None-Match");
    }

    @Test
    @Timeout(5)
    void aLongHeaderIsReadInLinearTime() {
        assertThat(matches("\"a\" ,\t".repeat(100_000) + TAG)).isTrue();
        assertThat(catchThrowableOfType(ApiException.class, () -> matches(" ".repeat(500_000) + "x")))
                .isNotNull();
        assertThat(catchThrowableOfType(
                        ApiException.class, () -> matches(" ,".repeat(200_000) + "\"" + "a".repeat(99))))
                .isNotNull();
    }
}
