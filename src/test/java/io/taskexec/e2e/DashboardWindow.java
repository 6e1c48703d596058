package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.taskexec.testing.Api;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** A person who looks at the dashboard in Chromium. Without a browser the tests are skipped, and say so. */
record DashboardWindow(Api api, Browser.Window browser) implements AutoCloseable {
    private static final Path PICTURES = Path.of("target/ui");
    private static final int WIDE = 1280;
    private static final int PHONE = 375;

    static DashboardWindow open(Api api) throws IOException, InterruptedException {
        var browser = Browser.find();
        assumeThat(browser)
                .as("no browser is installed: the dashboard is not looked at")
                .isNotNull();
        var person = new DashboardWindow(api, Objects.requireNonNull(browser).open("about:blank"));
        try {
            person.lookWide();
            person.see("/ui/login");
            return person;
        } catch (InterruptedException | RuntimeException | Error e) {
            person.close();
            throw e;
        }
    }

    @Override
    public void close() {
        browser.close();
    }

    void logIn(String key) throws InterruptedException {
        see("/ui/login");
        browser.awaitText("API key");
        var _ = browser.evaluate("document.getElementById('key').focus()");
        browser.type(key);
        browser.follow("form button");
        browser.awaitText("Needs attention");
    }

    void see(String path) throws InterruptedException {
        browser.go(api.uri(path).toString());
    }

    boolean isTrue(String expression) {
        return browser.evaluate(expression).asBoolean();
    }

    /** Sends the event of a key to the page. */
    void press(String key) {
        var _ = browser.evaluate(
                "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '%s', bubbles: true}))".formatted(key));
    }

    /** The wide page in the light, as most people have it. */
    void lookWide() {
        browser.look(WIDE, false);
    }

    /** Makes pictures of the page, which must be accessible and fit into the window. */
    void picture(String name) throws IOException {
        for (var look : List.of("light", "dark", "phone")) {
            browser.look(look.equals("phone") ? PHONE : WIDE, look.equals("dark"));
            browser.photograph(PICTURES.resolve(name + "-" + look + ".png"));
            assertThat(violations()).as(name + ", " + look).isEqualTo("");
            assertThat(isTrue("document.documentElement.scrollWidth <= innerWidth"))
                    .as(name + ", " + look + " is no wider than the window")
                    .isTrue();
        }
        lookWide();
    }

    /** The violations that axe-core finds; the browser runs it beside the scripts of the page. */
    String violations() {
        if (!isTrue("typeof axe !== 'undefined'")) {
            var _ = browser.evaluate(axe());
        }
        return browser.evaluate("""
                axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']}).then(found =>
                  found.violations.map(one => one.id + ': ' + one.help + ' '
                    + one.nodes.slice(0, 3).map(node => node.html.slice(0, 150)).join(' | ')).join('; '))
                """).asText();
    }

    private static String axe() {
        try (var script = DashboardWindow.class.getResourceAsStream("/axe.min.js")) {
            return new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8) + "; true";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
