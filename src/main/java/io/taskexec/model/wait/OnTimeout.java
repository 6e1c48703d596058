package io.taskexec.model.wait;

import io.taskexec.model.Option;

/** The result of an approval without a decision in time. */
public enum OnTimeout implements Option {
    FAIL,
    APPROVE,
    REJECT
}
