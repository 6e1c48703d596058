package io.taskexec.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.TestFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Chromium without a window, driven by its DevTools protocol. A driver from Maven needs a program of its own for each
 * version of the browser; the protocol is part of the browser, and also switches scripts off and moves the pointer.
 */
record Browser(Path program) {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final Duration STOP_BOUND = Duration.ofSeconds(5);

    /** The one that is installed, null when there is none. */
    static @Nullable Browser find() {
        var path = System.getenv().getOrDefault("PATH", "");
        return Stream.of(path.split(":", -1))
                .flatMap(folder -> Stream.of("chromium", "chromium-browser", "google-chrome", "chrome")
                        .map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst()
                .map(Browser::new)
                .orElse(null);
    }

    /** Opens a page. */
    Window open(String url) throws IOException, InterruptedException {
        var folder = Files.createTempDirectory("browser");
        var builder = new ProcessBuilder(
                        program.toString(),
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--hide-scrollbars",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + folder,
                        url)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile());
        // It also writes where files are temporary, and leaves some of them.
        builder.environment().put("TMPDIR", folder.toString());
        var window = new Window(builder.start(), folder);
        try {
            window.connect();
            return window;
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            window.close();
            throw e;
        }
    }

    /** A page that is open. */
    static final class Window implements AutoCloseable, WebSocket.Listener {
        private final Process process;
        private final Path folder;
        private final HttpClient client = HttpClient.newHttpClient();
        private final ObjectMapper mapper = new ObjectMapper();
        private final AtomicInteger numbers = new AtomicInteger();
        private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
        private final StringBuilder received = new StringBuilder();
        private @Nullable WebSocket socket;

        /** The first page of a process; {@code folder} has all that it writes, and is removed with it. */
        Window(Process process, Path folder) {
            this.process = process;
            this.folder = folder;
        }

        /** Waits until the browser has a page. */
        void connect() throws IOException, InterruptedException {
            var portFile = folder.resolve("DevToolsActivePort");
            // It is there before the port and the path are in it.
            Eventually.await(
                    "the browser listens",
                    BOUND,
                    () -> Files.exists(portFile) && TestFiles.text(portFile).contains("/devtools/"));
            var port = Files.readAllLines(portFile).getFirst();
            var listing = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/list"))
                    .timeout(BOUND)
                    .build();
            // It listens before there is one.
            var pages = Eventually.await("there is a page", BOUND, () -> pages(listing), found -> !found.isEmpty());
            socket = client.newWebSocketBuilder()
                    .buildAsync(URI.create(pages.getFirst()), this)
                    .join();
        }

        private List<String> pages(HttpRequest listing) {
            try {
                return mapper.readTree(
                                client.send(listing, BodyHandlers.ofString()).body())
                        .valueStream()
                        .filter(target -> target.path("type").asText().equals("page"))
                        .map(target -> target.path("webSocketDebuggerUrl").asText())
                        .toList();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            received.append(part);
            if (last) {
                try {
                    var message = mapper.readTree(received.toString());
                    received.setLength(0);
                    var waiting = answers.remove(message.path("id").asInt());
                    if (waiting != null) {
                        waiting.complete(message.path("result"));
                    }
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }
            from.request(1);
            return null;
        }

        private JsonNode call(String method, ObjectNode parameters) {
            var number = numbers.incrementAndGet();
            var answer = new CompletableFuture<JsonNode>();
            answers.put(number, answer);
            var message =
                    JsonNodeFactory.instance.objectNode().put("id", number).put("method", method);
            message.set("params", parameters);
            if (socket != null) {
                socket.sendText(message.toString(), true).join();
            }
            return answer.orTimeout(BOUND.toSeconds(), TimeUnit.SECONDS).join();
        }

        /** The text that a reader sees. */
        String text() {
            return evaluate("document.body ? document.body.innerText : ''").asText();
        }

        /** The value of an expression of JavaScript; a promise is waited for. */
        JsonNode evaluate(String expression) {
            var parameters = JsonNodeFactory.instance
                    .objectNode()
                    .put("expression", expression)
                    .put("returnByValue", true)
                    .put("awaitPromise", true);
            return call("Runtime.evaluate", parameters).at("/result/value");
        }

        /** Goes to another page, and waits until it is there. */
        void go(String url) throws InterruptedException {
            leave(() -> {
                var _ = Eventually.await(
                        url + " is loaded",
                        BOUND,
                        () -> call(
                                        "Page.navigate",
                                        JsonNodeFactory.instance.objectNode().put("url", url))
                                .path("errorText")
                                .asText(),
                        // A browser that has just started takes its own network for a new one, and gives up what it
                        // loads.
                        error -> !error.equals("net::ERR_NETWORK_CHANGED"));
            });
        }

        /** Clicks the first element that a selector finds, which leads to another page. */
        void follow(String selector) throws InterruptedException {
            var _ = evaluate("window.isOld = true");
            var found = evaluate("""
                    (() => { const one = document.querySelector(%s); one?.click(); return !!one; })()
                    """.formatted(JsonNodeFactory.instance.textNode(selector)));
            if (!found.asBoolean()) {
                throw new AssertionError("there is no " + selector + " in " + text());
            }
            awaitPage();
        }

        /** Does what leads to another page. */
        void leave(Navigation action) throws InterruptedException {
            var _ = evaluate("window.isOld = true");
            action.begin();
            awaitPage();
        }

        /** Leads to another page. */
        interface Navigation {
            void begin() throws InterruptedException;
        }

        private void awaitPage() throws InterruptedException {
            Eventually.await(
                    "the next page",
                    BOUND,
                    () -> evaluate("!window.isOld && document.readyState === 'complete'")
                            .asBoolean());
        }

        /** Waits until the reader sees a text. */
        void awaitText(String wanted) throws InterruptedException {
            var _ = Eventually.await("'" + wanted + "' is seen", BOUND, this::text, text -> text.contains(wanted));
        }

        /** Sets the width of the page, and whether the reader wants it dark. */
        void look(int width, boolean dark) {
            var _ = call(
                    "Emulation.setDeviceMetricsOverride",
                    JsonNodeFactory.instance
                            .objectNode()
                            .put("width", width)
                            .put("height", 900)
                            .put("deviceScaleFactor", 1)
                            .put("mobile", false));
            var media = JsonNodeFactory.instance.objectNode();
            media.putArray("features")
                    .addObject()
                    .put("name", "prefers-color-scheme")
                    .put("value", dark ? "dark" : "light");
            var _ = call("Emulation.setEmulatedMedia", media);
        }

        /** From the next page on no script of a page runs. */
        void switchScriptsOff() {
            var _ = call(
                    "Emulation.setScriptExecutionDisabled",
                    JsonNodeFactory.instance.objectNode().put("value", true));
        }

        /** Writes a picture of the whole page. */
        void photograph(Path file) throws IOException {
            var parameters =
                    JsonNodeFactory.instance.objectNode().put("format", "png").put("captureBeyondViewport", true);
            Files.createDirectories(file.toAbsolutePath().getParent());
            var size = call("Page.getLayoutMetrics", JsonNodeFactory.instance.objectNode())
                    .path("cssContentSize");
            parameters
                    .putObject("clip")
                    .put("x", 0)
                    .put("y", 0)
                    .put("width", size.path("width").asDouble())
                    .put("height", size.path("height").asDouble())
                    .put("scale", 1);
            var picture =
                    call("Page.captureScreenshot", parameters).path("data").asText();
            Files.write(file, Base64.getDecoder().decode(picture));
        }

        /** Moves the pointer to the middle of an element. */
        void point(String selector) {
            var place = evaluate("""
                    (() => { const one = document.querySelector(%s); one.scrollIntoView({block: 'nearest'});
                      const box = one.getBoundingClientRect();
                      return {x: box.left + box.width / 2, y: box.top + box.height / 2}; })()
                    """.formatted(JsonNodeFactory.instance.textNode(selector)));
            point(place.path("x").asDouble(), place.path("y").asDouble());
        }

        void point(double x, double y) {
            var _ = call(
                    "Input.dispatchMouseEvent",
                    JsonNodeFactory.instance
                            .objectNode()
                            .put("type", "mouseMoved")
                            .put("x", x)
                            .put("y", y));
        }

        /** Lets pages run their scripts, or not. */
        void runScripts(boolean areOn) {
            var _ = call(
                    "Emulation.setScriptExecutionDisabled",
                    JsonNodeFactory.instance.objectNode().put("value", !areOn));
        }

        /** Keeps requests back until {@link #release}. */
        void keepBack(String pattern) {
            var parameters = JsonNodeFactory.instance.objectNode();
            parameters.putArray("patterns").addObject().put("urlPattern", pattern);
            var _ = call("Fetch.enable", parameters);
        }

        void release() {
            var _ = call("Fetch.disable", JsonNodeFactory.instance.objectNode());
        }

        /** Runs a script in each page from now on, before anything of the page. */
        void beginPagesWith(String script) {
            var _ = call("Page.enable", JsonNodeFactory.instance.objectNode());
            var _ = call(
                    "Page.addScriptToEvaluateOnNewDocument",
                    JsonNodeFactory.instance.objectNode().put("source", script));
        }

        void press(String key) {
            for (var type : new String[] {"keyDown", "keyUp"}) {
                var parameters = JsonNodeFactory.instance
                        .objectNode()
                        .put("type", type)
                        .put("key", key)
                        .put("code", key);
                parameters.put("windowsVirtualKeyCode", key.equals("Tab") ? 9 : 13);
                if (type.equals("keyDown") && key.equals("Enter")) {
                    parameters.put("text", "\r");
                }
                var _ = call("Input.dispatchKeyEvent", parameters);
            }
        }

        void type(String text) {
            var _ = call(
                    "Input.insertText", JsonNodeFactory.instance.objectNode().put("text", text));
        }

        /** Ends the browser, in good order if it can, and removes what it has written. */
        @Override
        public void close() {
            // Those that it has started are not known as such when it has ended.
            var started = process.descendants().toList();
            process.destroy();
            if (!hasEnded()) {
                process.destroyForcibly();
            }
            started.forEach(ProcessHandle::destroyForcibly);
            client.shutdownNow();
            removeFolder();
        }

        private boolean hasEnded() {
            try {
                return process.waitFor(STOP_BOUND.toSeconds(), TimeUnit.SECONDS);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        /** A process that was told to end may still write for a moment. */
        private void removeFolder() {
            try {
                Eventually.await(folder + " is removed", BOUND, this::isFolderRemoved);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }

        private boolean isFolderRemoved() {
            try (var files = Files.walk(folder)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(file -> file.toFile().delete());
            } catch (IOException | UncheckedIOException _) {
                // A process of the browser has removed some of it itself.
            }
            return !Files.exists(folder);
        }
    }
}
