package io.taskexec.secret;

/** A part of a text that a secret was found in. */
record Span(int start, int end) {}
