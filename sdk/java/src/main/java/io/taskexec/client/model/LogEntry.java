package io.taskexec.client.model;

import java.time.Instant;

/** A line of the log of an execution. */
public record LogEntry(int attemptNumber, String level, String message, Instant loggedAt) {}
