/** Jobs that wait for others: rules, conditions, and what they see of their parents. */
@NullMarked
package io.taskexec.model.dependency;

import org.jspecify.annotations.NullMarked;
