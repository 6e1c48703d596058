package io.taskexec.model.wait;

import io.taskexec.model.Option;

/** The decision about an approval. */
public enum Decision implements Option {
    APPROVE,
    REJECT
}
