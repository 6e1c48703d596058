package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.RestAssured;
import io.restassured.http.Cookie;
import io.restassured.response.Response;
import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.ServerDb;
import java.net.InetAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import no.nav.security.mock.oauth2.MockOAuth2Server;
import no.nav.security.mock.oauth2.OAuth2Config;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Logs in to the dashboard at a provider of OpenID Connect, as a browser does. */
class DashboardOidcIT {
    private static final String OPERATOR = "{\"preferred_username\": \"alice\", \"groups\": [\"operators\", \"x\"]}";

    private static final MockOAuth2Server provider =
            new MockOAuth2Server(OAuth2Config.Companion.fromJson("{\"interactiveLogin\": true}"));
    private static String issuer;
    private static Program program;
    private static Api api;

    @BeforeAll
    static void start() throws InterruptedException {
        var port = Program.freePort();
        provider.start(InetAddress.getLoopbackAddress(), port);
        issuer = "http://127.0.0.1:" + port + "/people";
        program = program(ServerDb.fresh(DashboardOidcIT.class), issuer);
        api = program.api();
    }

    private static Program program(ServerDb database, String provider) throws InterruptedException {
        return Program.serving(database)
                .with("TE_UI_OIDC_ISSUER", provider)
                .with("TE_UI_OIDC_CLIENT_ID", "dashboard")
                .with("TE_UI_OIDC_CLIENT_SECRET", "a secret of the provider")
                .with("TE_UI_OIDC_SCOPES", "operators:jobs,admins:admin,readers:read")
                .startReady();
    }

    @AfterAll
    static void stop() {
        program.close();
        provider.shutdown();
    }

    /** A browser on its way to the provider: where it is sent, and with which cookies. */
    private record Leaving(Response answer) {
        static Leaving from(Api api, String to, String scheme) {
            var answer = api.bare()
                    .header("X-Forwarded-Proto", scheme)
                    .queryParam("to", to)
                    .redirects()
                    .follow(false)
                    .get("/ui/login/oidc");
            assertThat(answer.statusCode()).as(answer.asString()).isEqualTo(302);
            return new Leaving(answer);
        }

        static Leaving from(Api api) {
            return from(api, "/ui/queues?x=1", "http");
        }

        /** The address that the provider sends the person back to. */
        String logIn(String user, String claims) {
            var answer = RestAssured.given()
                    .urlEncodingEnabled(false)
                    .redirects()
                    .follow(false)
                    .contentType("application/x-www-form-urlencoded; charset=UTF-8")
                    .formParam("username", encode(user))
                    .formParam("claims", encode(claims))
                    .post(answer().header("Location"));
            assertThat(answer.statusCode()).as(answer.asString()).isEqualTo(302);
            return answer.header("Location");
        }

        Response comeBack(String address) {
            return RestAssured.given()
                    .urlEncodingEnabled(false)
                    .cookies(answer.cookies())
                    .redirects()
                    .follow(false)
                    .get(address);
        }

        private static String encode(String text) {
            return URLEncoder.encode(text, StandardCharsets.UTF_8);
        }
    }

    private static DashboardSession person(String user, String claims) {
        var leaving = Leaving.from(api);
        var answer = leaving.comeBack(leaving.logIn(user, claims));
        assertThat(answer.statusCode()).as(answer.asString()).isEqualTo(200);
        return new DashboardSession(api, Map.of("te_session", answer.cookie("te_session")));
    }

    private static void expectRefusal(int status, String reason, Response answer) {
        assertThat(answer.statusCode()).as(answer.asString()).isEqualTo(status);
        assertThat(answer.asString()).contains(reason, "Log in with 127.0.0.1").doesNotContain("Exception");
        assertThat(answer.cookies()).doesNotContainKey("te_session");
    }

    @Test
    void theLoginOffersTheProviderAndSendsAProofOfWhoBegan() {
        assertThat(api.bare().get("/ui/login?to=/ui/jobs").asString())
                .contains("href=\"/ui/login/oidc?to=%2Fui%2Fjobs\">Log in with 127.0.0.1<", "API key");

        var leaving = Leaving.from(api);

        assertThat(leaving.answer().header("Location"))
                .startsWith(issuer + "/authorize?")
                .contains(
                        "client_id=dashboard",
                        "response_type=code",
                        "code_challenge_method=S256",
                        "nonce=",
                        "state=",
                        "scope=openid+profile+email",
                        "%2Fui%2Flogin%2Foidc%2Fdone");
        assertThat(leaving.answer().detailedCookies().asList())
                .allMatch(Cookie::isHttpOnly)
                .allMatch(cookie -> "Lax".equals(cookie.getSameSite()));
    }

    @Test
    void behindTlsThePersonComesBackByTls() {
        var leaving = Leaving.from(api, "/ui/", "https");

        assertThat(leaving.answer().header("Location")).contains("redirect_uri=https%3A%2F%2F");
        assertThat(leaving.answer().detailedCookies().asList()).allMatch(Cookie::isSecured);
    }

    @Test
    void aPersonLogsInAndGoesOnWhereTheyWantedTo() {
        var leaving = Leaving.from(api);
        var answer = leaving.comeBack(leaving.logIn("alice-id", OPERATOR));

        assertThat(answer.asString()).contains("content=\"0;url=/ui/queues?x=1\"");
        var session = answer.detailedCookie("te_session");
        assertThat(session.isHttpOnly()).isTrue();
        assertThat(session.getSameSite()).isEqualTo("Strict");
        assertThat(answer.cookies().entrySet().stream()
                        .filter(cookie -> cookie.getKey().startsWith("q_")
                                && !cookie.getValue().isEmpty()))
                .isEmpty();
        assertThat(new DashboardSession(api, Map.of("te_session", session.getValue())).page("/ui/queues"))
                .contains("You are <b>person:alice</b>");
    }

    @Test
    void groupsGiveScopesAndTheAuditLogNamesThePerson() {
        var operator = person("alice-id", OPERATOR);
        var admin = person("eve-id", "{\"email\": \"eve@example.com\", \"groups\": [\"admins\"]}");
        var reader = person("bob", "{\"groups\": [\"readers\"]}");

        assertThat(operator.get("/ui/audit").statusCode()).isEqualTo(403);
        for (var refused : List.of(operator, reader)) {
            assertThat(refused.send("/ui/queues/default/pause", Map.of()).statusCode())
                    .isEqualTo(403);
        }
        assertThat(admin.send("/ui/queues/default/pause", Map.of()).statusCode())
                .isEqualTo(303);

        assertThat(api.read("/queues/default").getBoolean("paused")).isTrue();
        var audit = api.read("/audit?kind=queue");
        assertThat(audit.getString("items[0]")).contains("person:eve@example.com", "person:eve-id");
        assertThat(admin.page("/ui/audit")).contains("person:eve@example.com");
        assertThat(reader.page("/ui/queues")).contains("person:bob");
    }

    @Test
    void aPersonWithoutAGroupIsRefusedWithAReason() {
        for (var claims : List.of("{}", "{\"groups\": [\"OPERATORS\", \"operators:jobs\", \"*\"]}")) {
            var leaving = Leaving.from(api);
            expectRefusal(
                    403,
                    "127.0.0.1 knows you as mallory, but none of your groups",
                    leaving.comeBack(leaving.logIn("mallory", claims)));
        }
    }

    @Test
    void namesAreShownAsText() {
        var person = person("x", """
                {"preferred_username": "<b>bootstrap\\u202e\\n</b>", "groups": ["readers"]}""");

        assertThat(person.page("/ui/queues")).contains("person:&lt;b&gt;bootstrap &lt;/b&gt;");
    }

    @Test
    void aStateThatDidNotBeginHereIsRefused() {
        var leaving = Leaving.from(api);
        var address = leaving.logIn("alice-id", OPERATOR);
        var forged = address.replaceFirst("state=[^&]*", "state=forged");

        expectRefusal(401, "did not log you in", leaving.comeBack(forged));
        expectRefusal(401, "did not log you in", leaving.comeBack(address.replaceFirst("[?&]state=[^&]*", "")));
        // Another browser, which has no cookie or another one.
        expectRefusal(401, "did not log you in", Leaving.from(api).comeBack(address));
        expectRefusal(
                401,
                "did not log you in",
                RestAssured.given()
                        .urlEncodingEnabled(false)
                        .redirects()
                        .follow(false)
                        .get(address));
    }

    @Test
    void aCodeIsGoodForOneLogin() {
        var leaving = Leaving.from(api);
        var address = leaving.logIn("alice-id", OPERATOR);
        assertThat(leaving.comeBack(address).statusCode()).isEqualTo(200);

        expectRefusal(401, "did not log you in", leaving.comeBack(address));
        expectRefusal(
                401, "did not log you in", leaving.comeBack(address.replaceFirst("code=[^&]*", "code=of-another")));
    }

    @Test
    void aPersonWhomTheProviderTurnsAwayIsToldSo() {
        var leaving = Leaving.from(api);
        var address = leaving.logIn("alice-id", OPERATOR).replaceFirst("code=[^&]*", "error=access_denied");

        expectRefusal(401, "did not log you in", leaving.comeBack(address));
    }

    @Test
    void nothingButTheDashboardTakesPeople() {
        var cookies = new HashMap<>(person("alice-id", OPERATOR).cookies());

        assertThat(api.bare().cookies(cookies).get("/jobs").statusCode()).isEqualTo(401);
        var token = RestAssured.given()
                .auth()
                .preemptive()
                .basic("dashboard", "a secret of the provider")
                .formParam("grant_type", "client_credentials")
                .formParam("scope", "dashboard")
                .post(issuer + "/token")
                .jsonPath()
                .getString("access_token");
        assertThat(token).startsWith("ey");
        var answer = api.bare().header("Authorization", "Bearer " + token).get("/jobs");
        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.jsonPath().getString("error.code")).isEqualTo("UNAUTHORIZED");
        assertThat(api.get("/jobs").statusCode()).isEqualTo(200);
    }

    @Test
    void withoutItsProviderAProcessStartsAndTakesKeys() throws InterruptedException {
        var nowhere = "http://127.0.0.1:" + Program.freePort() + "/people";
        try (var alone = program(ServerDb.fresh(Leaving.class), nowhere)) {
            var answer = alone.api().bare().redirects().follow(false).get("/ui/login/oidc");

            expectRefusal(503, "cannot be reached", answer);
            var session = DashboardSession.logIn(alone.api(), alone.api().key());
            assertThat(session.page("/ui/queues")).contains("Key <b>bootstrap</b>");
        }
    }
}
