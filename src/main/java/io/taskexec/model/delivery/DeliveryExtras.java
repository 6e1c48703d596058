package io.taskexec.model.delivery;

import org.jspecify.annotations.Nullable;

/**
 * The signer and the CloudEvent that an endpoint adds to the headers of its deliveries.
 *
 * @param signer null when deliveries are not signed
 * @param event null when deliveries are not CloudEvents
 */
public record DeliveryExtras(
        @Nullable Signer signer, @Nullable CloudEvent event) {
    /** An endpoint that adds nothing. */
    public static final DeliveryExtras NONE = new DeliveryExtras(null, null);

    /**
     * The attributes that all events of an endpoint have in common.
     *
     * @param source a reference to where they come from
     * @param type the kind of the events
     */
    public record CloudEvent(String source, String type) {}
}
