package io.taskexec.examples.cloudillo.store;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * An action that was created here, or received and verified.
 *
 * @param actionId of its token
 * @param token signed by its issuer
 * @param claims of the token
 */
public record ActionRecord(String actionId, String token, JsonNode claims) {}
