import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.CookieManager;
import java.net.CookiePolicy;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/** A browser that has logged in to the dashboard, as far as a measurement needs one. */
final class DashboardVisitor {
    private static final Duration TIMEOUT = Duration.ofSeconds(120);
    private static final Pattern MARK = Pattern.compile("name=\"form_mark\" value=\"([^\"]+)\"");

    private final Service service;
    private final CookieManager cookies = new CookieManager(null, CookiePolicy.ACCEPT_ALL);
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .cookieHandler(cookies)
            .build();

    /**
     * A page as it came.
     *
     * @param sent bytes on the wire, without headers
     */
    record Page(String html, int bytes, int sent, long nanos) {
        /** The first link to a thing of a list. */
        Optional<String> link(String prefix) {
            var found = Pattern.compile("href=\"(" + Pattern.quote(prefix) + "[^\"?/#]+)\"")
                    .matcher(html);
            return found.find() ? Optional.of(found.group(1)) : Optional.empty();
        }

        /** The link to the next page of a list. */
        Optional<String> older() {
            var found = Pattern.compile("href=\"([^\"]*[?&;]cursor=[^\"]*)\"").matcher(html);
            return found.find() ? Optional.of(found.group(1).replace("&amp;", "&")) : Optional.empty();
        }
    }

    DashboardVisitor(Service service) {
        this.service = service;
    }

    void logIn() throws IOException, InterruptedException {
        var mark = MARK.matcher(get("/ui/login").html());
        if (!mark.find()) {
            throw new IOException("There is no form to log in.");
        }
        String form = "form_mark=" + encoded(mark.group(1)) + "&key=" + encoded(service.apiKey());
        HttpRequest request = request("/ui/login")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form))
                .build();
        int status = http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        if (status != 303) {
            throw new IOException("The login answered " + status + ".");
        }
    }

    /** Reads a page, from the request to the last byte. */
    Page get(String path) throws IOException, InterruptedException {
        HttpRequest request =
                request(path).header("Accept-Encoding", "gzip").GET().build();
        long begin = System.nanoTime();
        HttpResponse<byte[]> answer = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        long nanos = System.nanoTime() - begin;
        if (answer.statusCode() != 200) {
            throw new IOException(path + " answered " + answer.statusCode() + ".");
        }
        byte[] sent = answer.body();
        boolean packed =
                answer.headers().firstValue("Content-Encoding").orElse("").equals("gzip");
        byte[] bytes = packed ? new GZIPInputStream(new ByteArrayInputStream(sent)).readAllBytes() : sent;
        return new Page(new String(bytes, StandardCharsets.UTF_8), bytes.length, sent.length, nanos);
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://" + service.host() + path))
                .timeout(TIMEOUT);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
