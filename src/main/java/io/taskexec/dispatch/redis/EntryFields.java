package io.taskexec.dispatch.redis;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.dispatch.delivery.CloudEventBinding;
import io.taskexec.dispatch.delivery.DeliveryHeaders;
import io.taskexec.dispatch.delivery.PlainText;
import io.taskexec.dispatch.http.InvalidCallException;
import io.taskexec.model.Json;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.StreamEntry;
import io.taskexec.model.endpoint.StreamFieldRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The fields of an entry: the user's, then ours. */
final class EntryFields {
    private EntryFields() {}

    /**
     * Names and values in turn.
     *
     * @throws InvalidCallException when one of the user's has a name of ours, as an endpoint may that is older than
     * the name
     */
    static List<String> of(StreamEntry entry, Delivery delivery) {
        var fields = new ArrayList<String>();
        entry.fields().forEach((name, value) -> {
            if (StreamFieldRules.isReserved(name)) {
                throw new InvalidCallException("The name of the field " + PlainText.of(name) + " is reserved");
            }
            fields.add(name);
            fields.add(value);
        });
        DeliveryHeaders.of(delivery, signed(entry, delivery), CloudEventBinding.UNDERSCORE)
                .forEach((name, value) -> {
                    fields.add(name.toLowerCase(Locale.ROOT));
                    fields.add(value);
                });
        return fields;
    }

    /** The user's fields as the text of a JSON object, since an entry has no body; null when it is not signed. */
    private static @Nullable String signed(StreamEntry entry, Delivery delivery) {
        if (delivery.extras().signer() == null) {
            return null;
        }
        var object = JsonNodeFactory.instance.objectNode();
        entry.fields().forEach(object::put);
        return Json.write(object);
    }
}
