import java.nio.charset.StandardCharsets;

/** A POST request as bytes, with all but the body made once. */
final class RequestBytes {
    private final String head;

    private RequestBytes(String head) {
        this.head = head;
    }

    static RequestBytes post(String host, String path, String moreHeaders) {
        return new RequestBytes("POST " + path + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: application/json\r\n"
                + moreHeaders + "Content-Length: ");
    }

    static RequestBytes post(Service service, String path) {
        return post(service.host(), path, "Authorization: Bearer " + service.apiKey() + "\r\n");
    }

    /** The whole request; the body must be ASCII. */
    byte[] with(String body) {
        return (head + body.length() + "\r\n\r\n" + body).getBytes(StandardCharsets.ISO_8859_1);
    }
}
