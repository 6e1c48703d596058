package io.taskexec.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TaskTest {
    record Resize(String file) implements Task {}

    record SendWelcomeEmail(String to) implements Task {}

    record HTTPCall2(String url) implements Task {}

    @TaskName("old-name")
    record Renamed() implements Task {}

    record $Odd() implements Task {}

    @Test
    void theNameOfAnEndpointIsThatOfTheClassInKebabCase() {
        assertThat(Task.nameOf(Resize.class)).isEqualTo("resize");
        assertThat(Task.nameOf(SendWelcomeEmail.class)).isEqualTo("send-welcome-email");
        assertThat(Task.nameOf(HTTPCall2.class)).isEqualTo("http-call2");
    }

    @Test
    void anAnnotationGivesItAnotherName() {
        assertThat(Task.nameOf(Renamed.class)).isEqualTo("old-name");
    }

    @Test
    void aClassThatMakesNoNameIsRefused() {
        assertThatThrownBy(() -> Task.nameOf($Odd.class)).hasMessageContaining("@TaskName");
    }
}
