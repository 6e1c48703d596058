package io.taskexec.model.job;

import io.taskexec.model.Option;

/** Says which job has a key when a request names one that another job has. */
public enum OnConflict implements Option {
    /** The other one, which is answered when the same request has made it. */
    RETURN,
    /** The new one: the other ends as SUPERSEDED, unless it has begun. */
    REPLACE,
    /** The other one, and the request is refused. */
    REJECT
}
