package io.taskexec.web.frame;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.http.HttpMethod;
import org.junit.jupiter.api.Test;

class ResponderTest {
    private static final String FORM = "/ui/dead-letters/preview";

    private static String afterForm(String referer) {
        return Responder.here(HttpMethod.POST, FORM, referer);
    }

    @Test
    void aPageIsSeenAgainAtItsAddress() {
        assertThat(Responder.here(HttpMethod.GET, "/ui/jobs?tag=a", "http://x/ui/"))
                .isEqualTo("/ui/jobs?tag=a");
    }

    @Test
    void whatAnswersAFormLeadsBackToThePageWithTheForm() {
        assertThat(afterForm("https://tasks.example.com:8443/ui/dead-letters?endpoint=a%20b"))
                .isEqualTo("/ui/dead-letters?endpoint=a%20b");
    }

    @Test
    void whatAnswersAFormOfUnknownOriginLeadsToTheFirstPage() {
        assertThat(Responder.here(HttpMethod.POST, FORM, null)).isEqualTo("/ui/");
        assertThat(afterForm("https://evil.example/")).isEqualTo("/ui/");
        assertThat(afterForm("https://evil.example//evil.example/ui/")).isEqualTo("/ui/");
        assertThat(afterForm("about:blank")).isEqualTo("/ui/");
    }

    @Test
    void whatAnswersAFormOfAnAnswerLeadsToThePageBeforeBoth() {
        assertThat(afterForm("https://x/ui/dead-letters/preview")).isEqualTo("/ui/dead-letters");
        assertThat(afterForm("https://x/ui/schedules/job_1/backfill/preview")).isEqualTo("/ui/schedules/job_1");
    }
}
