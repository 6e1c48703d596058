package io.taskexec.secret;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/** Signs messages as Standard Webhooks has it, with each of its keys. Immutable. */
public final class WebhookSigner {
    private final List<SigningKey> keys;

    public WebhookSigner(List<SigningKey> keys) {
        this.keys = List.copyOf(keys);
    }

    /** One signature for each key, in their order, separated by spaces. */
    public String sign(String id, long timestamp, byte[] body) {
        var content = content(id, Long.toString(timestamp), body);
        return keys.stream()
                .map(key -> key.scheme() + "," + Base64.getEncoder().encodeToString(key.sign(content)))
                .collect(Collectors.joining(" "));
    }

    /** The content that is signed. */
    static byte[] content(String id, String timestamp, byte[] body) {
        var head = (id + "." + timestamp + ".").getBytes(UTF_8);
        var content = new byte[head.length + body.length];
        System.arraycopy(head, 0, content, 0, head.length);
        System.arraycopy(body, 0, content, head.length, body.length);
        return content;
    }
}
