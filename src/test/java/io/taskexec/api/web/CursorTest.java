package io.taskexec.api.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.request.ApiException;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CursorTest {
    private static final UUID ID = UUID.fromString("01a22315-c900-7000-8000-00000000abcd");

    @Test
    void aCursorLeadsToThePlaceThatItWasMadeOf() {
        assertThat(Cursor.id(Cursor.of(ID))).isEqualTo(ID);
    }

    @Test
    void aCursorOfWhichTheEndIsMissingIsRefused() {
        var cursor = Objects.requireNonNull(Cursor.of(ID));

        assertThatThrownBy(() -> Cursor.id(cursor.substring(0, cursor.length() - 2)))
                .isInstanceOf(ApiException.class);
    }
}
