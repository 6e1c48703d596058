package io.taskexec.dispatch.redis;

import com.oracle.svm.core.annotate.Substitute;
import com.oracle.svm.core.annotate.TargetClass;
import io.lettuce.core.resource.EventLoopResources;

/** As {@link NoEpoll}, for another library. */
@Substitute
@TargetClass(className = "io.lettuce.core.resource.KqueueProvider")
final class NoKqueue {
    private NoKqueue() {}

    @Substitute
    public static boolean isAvailable() {
        return false;
    }

    @Substitute
    static void checkForKqueueLibrary() {
        // Never called, since nothing is available.
    }

    @Substitute
    public static EventLoopResources getResources() {
        return NoTransport.INSTANCE;
    }
}
