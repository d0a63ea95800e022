/**
 * Internal: grants, holds, local waiting, renewal and deadlines, over the {@link org.redislocked.core.LockStore} port.
 *
 * <p>This package knows the JDK and {@code org.redislocked}. Neither Redis nor a container enters it: the store, the
 * scheduler and the time come from outside, so that every interleaving can be tested without them.
 */
@NullMarked
package org.redislocked.core;

import org.jspecify.annotations.NullMarked;
