package io.taskexec.client.model;

/** The result of a backfill. */
public record BackfillResult(int ticks, int fired) {}
