package io.taskexec.worker.adaptive;

/**
 * The answers of a receiver to this process.
 *
 * @param lately calls that ended within the last second or two, of those that began after the limit was changed
 * @param refusedLately those of them that were refused
 * @param all calls that began after the limit was changed and have ended
 * @param slowness how many times as long as in a quiet time calls take now, 1 when that is not known
 */
record Answers(int lately, int refusedLately, int all, double slowness) {}
