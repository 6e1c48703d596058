package io.taskexec.model.delivery;

import org.jspecify.annotations.Nullable;

/**
 * What an endpoint adds to the identity of a delivery, ready to be used.
 *
 * @param signer null when deliveries are not signed
 * @param event null when deliveries are no CloudEvents
 */
public record IdentityExtras(
        @Nullable Signer signer, @Nullable CloudEvent event) {
    /** Nothing. */
    public static final IdentityExtras NONE = new IdentityExtras(null, null);

    /**
     * What the events of an endpoint have in common.
     *
     * @param source a reference to where they come from
     * @param type what kind of events they are
     */
    public record CloudEvent(String source, String type) {}
}
