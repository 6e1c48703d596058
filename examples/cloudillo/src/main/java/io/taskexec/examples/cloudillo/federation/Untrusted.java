package io.taskexec.examples.cloudillo.federation;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.taskexec.client.Json;

/** Reads the JSON of others: a list or a map with a null is malformed. */
final class Untrusted {
    static final ObjectMapper MAPPER =
            Json.data().copy().setDefaultSetterInfo(JsonSetter.Value.forContentNulls(Nulls.FAIL));

    private Untrusted() {}
}
