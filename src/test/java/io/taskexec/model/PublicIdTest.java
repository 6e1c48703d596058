package io.taskexec.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PublicIdTest {
    private static final UUID ID = UUID.fromString("0195a0ff-0000-7000-8000-00000000000f");

    @Test
    void anIdIsItsKindAndThirtyTwoDigits() {
        assertThat(PublicId.JOB.show(ID)).isEqualTo("job_0195a0ff00007000800000000000000f");
        assertThat(PublicId.EXECUTION.show(ID)).isEqualTo("exec_0195a0ff00007000800000000000000f");
        assertThat(PublicId.WORKER.show(ID)).isEqualTo("worker_0195a0ff00007000800000000000000f");
    }

    @ParameterizedTest
    @EnumSource(PublicId.class)
    void whatIsShownIsReadBack(PublicId kind) {
        for (var id : new UUID[] {ID, new UUID(0, 0), new UUID(-1, -1), Uuid7.next(), UUID.randomUUID()}) {
            assertThat(kind.parse(kind.show(id))).isEqualTo(id);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "job_",
                "exec_0195a0ff00007000800000000000000f",
                "0195a0ff00007000800000000000000f",
                "job_0195a0ff00007000800000000000000",
                "job_0195a0ff00007000800000000000000f0",
                "job_0195a0ff-0000-7000-8000-00000000000f",
                "job_0195a0ff00007000800000000000000g",
                "job_+195a0ff00007000+00000000000000f",
                "job_-195a0ff00007000-00000000000000f",
                "job_0195a0ff0000700080000000000000\uff10\uff10",
                " job_0195a0ff00007000800000000000000f",
                "JOB_0195a0ff00007000800000000000000f"
            })
    void whatIsNoIdOfThisKindIsNotRead(String text) {
        assertThat(PublicId.JOB.parse(text)).isNull();
    }
}
