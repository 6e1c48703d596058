package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import io.taskexec.testing.Api;
import java.util.Map;
import java.util.regex.Pattern;

/** A person in the dashboard, without scripts: follows links and sends the forms of pages. */
record DashboardSession(Api api, Map<String, String> cookies) {
    private static final Pattern MARK = Pattern.compile("name=\"form_mark\" value=\"([^\"]+)\"");

    /** Logs in with a key. */
    static DashboardSession logIn(Api api, String key) {
        var form = new DashboardSession(api, Map.of()).get("/ui/login");
        var answer = new DashboardSession(api, form.cookies())
                .request()
                .formParam("form_mark", mark(form))
                .formParam("key", key)
                .post("/ui/login");
        assertThat(answer.statusCode()).as(answer.asString()).isEqualTo(303);
        return new DashboardSession(api, answer.cookies());
    }

    /** A request with the cookies, which follows no redirection. */
    RequestSpecification request() {
        return api.bare().cookies(cookies).redirects().follow(false);
    }

    Response get(String path) {
        return request().get(path);
    }

    /** The HTML of a page that must be there. */
    String page(String path) {
        var answer = get(path);
        assertThat(answer.statusCode()).as(path + ": " + answer.asString()).isEqualTo(200);
        return answer.asString();
    }

    /** Sends a form with the mark of this session. */
    Response send(String path, Map<String, ?> fields) {
        return request()
                .formParam("form_mark", mark(get("/ui/queues")))
                .formParams(fields)
                .post(path);
    }

    /** The mark in a page. */
    static String mark(Response page) {
        var found = MARK.matcher(page.asString());
        assertThat(found.find()).as(page.asString()).isTrue();
        return found.group(1);
    }
}
