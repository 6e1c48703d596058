package io.taskexec.secret;

/** A part of a text that a secret was found in. */
record TextSpan(int start, int end) {}
