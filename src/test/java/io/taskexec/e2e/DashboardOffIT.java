package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.util.List;
import org.junit.jupiter.api.Test;

@ServerTest(env = "TE_UI=off")
class DashboardOffIT {
    @Inject
    private static Api api;

    @Test
    void withoutADashboardItsPathsAreUnknown() {
        for (var path : List.of("/ui", "/ui/", "/ui/login", "/ui/executions", "/ui/assets/app.css")) {
            assertThat(api.get(path).statusCode()).as(path).isEqualTo(404);
            assertThat(api.get(path).jsonPath().getString("error.code")).isEqualTo("NOT_FOUND");
        }
    }
}
