package io.taskexec.model.endpoint;

import io.smallrye.mutiny.Uni;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Says at registration what would be said at delivery: the same check, so that a target cannot pass one of them only.
 */
public interface TargetCheck {
    /**
     * Returns why nothing may be delivered to {@code target} by HTTP, as the end of a sentence that begins with it;
     * null when it may, or when its name does not resolve at the moment. Never fails.
     */
    Uni<@Nullable String> refusal(URI target);

    /** The same for a host that is called in another way: a name or a literal address, IPv6 without brackets. */
    Uni<@Nullable String> refusal(String host);
}
