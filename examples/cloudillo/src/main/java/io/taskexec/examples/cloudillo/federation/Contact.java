package io.taskexec.examples.cloudillo.federation;

/**
 * An identity, as the owner of an instance sees it.
 *
 * @param identity of the other
 * @param following whether the owner wants its posts
 * @param connected whether both know each other
 */
public record Contact(String identity, boolean following, boolean connected) {}
