/** Other instances: identities, keys, signed tokens, requests. */
@NullMarked
package io.taskexec.examples.cloudillo.federation;

import org.jspecify.annotations.NullMarked;
