package io.taskexec.dispatch.redis;

import com.oracle.svm.core.annotate.Substitute;
import com.oracle.svm.core.annotate.TargetClass;
import io.lettuce.core.resource.EventLoopResources;
import io.netty.bootstrap.Bootstrap;
import java.time.Duration;

/**
 * Takes the place of a class of Lettuce in a native image. That one is made for a library which is not there, and whose
 * classes the image would have to know.
 */
@Substitute
@TargetClass(className = "io.lettuce.core.resource.EpollProvider")
final class NoEpoll {
    private NoEpoll() {}

    @Substitute
    public static boolean isAvailable() {
        return false;
    }

    @Substitute
    static void checkForEpollLibrary() {
        // Never called, since nothing is available.
    }

    @Substitute
    public static EventLoopResources getResources() {
        return NoTransport.INSTANCE;
    }

    @Substitute
    public static void applyKeepAlive(Bootstrap bootstrap, int count, Duration idle, Duration interval) {
        // Never called, since nothing is available.
    }

    @Substitute
    public static void applyTcpUserTimeout(Bootstrap bootstrap, Duration timeout) {
        // Never called, since nothing is available.
    }
}
