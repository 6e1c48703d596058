package io.taskexec.store.execution;

import io.taskexec.model.delivery.Claim;
import java.util.List;

/**
 * The answer to a claim of executions that have flow keys.
 *
 * @param seen executions that were looked at, of which the limits of their keys may have kept some from being claimed:
 *     with as many as were asked for there may be others behind them
 */
public record KeyedAnswer(List<Claim> claims, int seen) {}
