package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Logging in to the dashboard and out, and what browsers are told of its pages. */
@ServerTest(env = {"TE_EVENTS_ENABLED=true", "TE_PUBLIC_URL=http://public.invalid"})
class DashboardLoginIT {
    @Inject
    private static Api api;

    private static DashboardSession admin() {
        return DashboardSession.logIn(api, api.key());
    }

    @Test
    void whoHasNotLoggedInIsLedToTheLoginAndBack() {
        var answer = api.bare().redirects().follow(false).get("/ui/queues?x=1");

        assertThat(answer.statusCode()).isEqualTo(303);
        assertThat(answer.header("Location")).isEqualTo("/ui/login?to=%2Fui%2Fqueues%3Fx%3D1");
        assertThat(api.bare().queryParam("to", "/ui/queues").get("/ui/login").asString())
                .contains("name=\"to\" value=\"/ui/queues\"");
        for (var elsewhere : List.of("https://evil.example/", "//evil.example", "/ui//evil.example", "/ui/\\evil")) {
            assertThat(api.bare().queryParam("to", elsewhere).get("/ui/login").asString())
                    .contains("name=\"to\" value=\"/ui/\"")
                    .doesNotContain("evil");
        }
        assertThat(api.bare().redirects().follow(false).get("/ui").header("Location"))
                .isEqualTo("/ui/");
        assertThat(api.bare()
                        .header("Sec-Fetch-Site", "cross-site")
                        .get("/ui/jobs")
                        .asString())
                .contains("http-equiv=\"refresh\" content=\"0;url=/ui/jobs\"");
    }

    @Test
    void theSessionIsAStrictCookieThatIsSecureBehindTls() {
        var form = api.bare().get("/ui/login");
        var answer = api.bare()
                .cookies(form.cookies())
                .header("X-Forwarded-Proto", "https")
                .formParam("form_mark", DashboardSession.mark(form))
                .formParam("key", api.key())
                .redirects()
                .follow(false)
                .post("/ui/login");

        var cookie = answer.detailedCookie("te_session");
        assertThat(cookie.isHttpOnly()).isTrue();
        assertThat(cookie.isSecured()).isTrue();
        assertThat(cookie.getSameSite()).isEqualTo("Strict");
        assertThat(cookie.getPath()).isEqualTo("/ui");
        assertThat(cookie.getValue()).doesNotContain(api.key());
        assertThat(api.bare()
                        .cookie("te_session", cookie.getValue() + "x")
                        .redirects()
                        .follow(false)
                        .get("/ui/")
                        .statusCode())
                .isEqualTo(303);
    }

    @Test
    void aWrongKeyAndAFormOfAnotherBrowserAreRefused() {
        var form = api.bare().get("/ui/login");
        var mark = DashboardSession.mark(form);

        var wrong = api.bare()
                .cookies(form.cookies())
                .formParam("form_mark", mark)
                .formParam("key", "te_x")
                .post("/ui/login");
        assertThat(wrong.statusCode()).isEqualTo(401);
        assertThat(wrong.asString()).contains("That is not a valid API key.");
        var forged = api.bare()
                .formParam("form_mark", mark)
                .formParam("key", api.key())
                .post("/ui/login");
        assertThat(forged.statusCode()).isEqualTo(401);
        assertThat(forged.cookie("te_session")).isNull();
    }

    @Test
    void aRevokedKeyEndsItsSessionsAtOnce() {
        var created = api.create("/keys", Map.of("name", "leaves", "scopes", List.of("read")));
        var person = DashboardSession.logIn(api, created.getString("key"));
        assertThat(person.page("/ui/")).contains("leaves");

        assertThat(api.delete("/keys/" + created.getString("key_id")).statusCode())
                .isEqualTo(204);

        assertThat(person.get("/ui/").statusCode()).isEqualTo(303);
    }

    @Test
    void loggingOutEndsTheSessionOfTheBrowser() {
        var answer = admin().send("/ui/logout", Map.of());

        assertThat(answer.statusCode()).isEqualTo(303);
        assertThat(answer.detailedCookie("te_session").getMaxAge()).isZero();
    }

    @Test
    void logOutByAForgedFormEndsNothingAndSaysSo() {
        var person = admin();

        var forged = person.request().formParam("form_mark", "x").post("/ui/logout");

        assertThat(forged.statusCode()).isEqualTo(403);
        assertThat(forged.asString()).contains("This form was not made for your session.");
        assertThat(forged.cookie("te_session")).isNull();
        var without = api.bare().redirects().follow(false).post("/ui/logout");
        assertThat(without.header("Location")).isEqualTo("/ui/login");
    }

    @Test
    void anActionWhoseSessionHasEndedLeadsBackToItsPageAfterTheLogin() {
        var action = api.bare()
                .header("Referer", "http://tasks.example/ui/schedules/job_1?x=1")
                .formParam("to", "2026-01-01T00:00:00Z");
        var answer = action.post("/ui/schedules/job_1/backfill");

        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.asString())
                .contains("Your session has ended.", "name=\"to\" value=\"/ui/schedules/job_1?x=1\"");
        assertThat(api.bare()
                        .header("Referer", "https://evil.example//evil.example/")
                        .post("/ui/queues/default/pause")
                        .asString())
                .contains("name=\"to\" value=\"/ui/\"");
    }

    @Test
    void everyPageTellsTheBrowserToRunNothingOfItsText() {
        for (var path : List.of("/ui/", "/ui/login", "/ui/jobs", "/ui/executions", "/ui/nothing")) {
            var answer = admin().get(path);

            assertThat(answer.header("Content-Security-Policy"))
                    .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'self'")
                    .doesNotContain("unsafe");
            assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
            assertThat(answer.asString())
                    .doesNotContain("<style")
                    // Outside of tags it is what people wrote.
                    .doesNotContainPattern("<script(?! src=)|<[^>]*\\s(on\\w+|style)=|=\"javascript:")
                    .doesNotContainPattern("(src|href|action)=\"(https?:)?//");
            assertThat(answer.asString().getBytes(StandardCharsets.UTF_8).length)
                    .isLessThan(100_000);
        }
    }

    @Test
    void assetsHaveADigestInTheirNamesAndMayBeKept() {
        var page = api.bare().get("/ui/login").asString();
        var style = page.replaceAll("(?s).*href=\"(/ui/assets/[0-9a-f]{16}-app\\.css)\".*", "$1");

        var asset = api.bare().get(style);

        assertThat(asset.statusCode()).as(style).isEqualTo(200);
        assertThat(asset.contentType()).isEqualTo("text/css;charset=UTF-8");
        assertThat(asset.header("Cache-Control")).contains("immutable");
        assertThat(api.bare().get("/ui/assets/app.css").statusCode()).isEqualTo(404);
        assertThat(api.bare().get("/ui/assets/..%2Ftemplates%2Flayout.html").statusCode())
                .isEqualTo(404);
    }

    @Test
    void aFormThatWasNotMadeForTheSessionChangesNothing() {
        var person = admin();
        var other = DashboardSession.mark(admin().get("/ui/queues"));

        for (var mark : new String[] {"", "x", other}) {
            var answer = person.request().formParam("form_mark", mark).post("/ui/queues/default/pause");
            assertThat(answer.statusCode()).isEqualTo(403);
        }
        assertThat(person.request().post("/ui/queues/default/pause").statusCode())
                .isEqualTo(403);
        assertThat(api.read("/queues/default").getBoolean("paused")).isFalse();
    }

    @Test
    void aWindowWhoseSessionHasEndedLeavesTheLoginFormOfAnotherOneValid() {
        var form = api.bare().get("/ui/login");
        var ended =
                api.bare().cookies(form.cookies()).header("HX-Request", "true").get("/ui/");
        assertThat(ended.statusCode()).isEqualTo(401);
        var cookies = new HashMap<>(form.cookies());
        cookies.putAll(ended.cookies());

        var answer = api.bare()
                .cookies(cookies)
                .formParam("form_mark", DashboardSession.mark(form))
                .formParam("key", api.key())
                .redirects()
                .follow(false)
                .post("/ui/login");

        assertThat(answer.statusCode()).as(answer.asString()).isEqualTo(303);
        assertThat(answer.cookie("te_session")).isNotEmpty();
    }

    @Test
    void onlyANonceOfOursMakesTheMarkOfALoginForm() {
        var form = api.bare().cookie("te_login", "chosen").get("/ui/login");

        assertThat(form.cookie("te_login")).matches("[0-9a-f]{32}");
    }
}
