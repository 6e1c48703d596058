package io.taskexec.dispatch.redis;

import com.oracle.svm.core.annotate.Substitute;
import com.oracle.svm.core.annotate.TargetClass;
import io.lettuce.core.resource.EventLoopResources;
import io.netty.bootstrap.Bootstrap;
import java.time.Duration;

/** As {@link NoEpoll}, for another library. */
@Substitute
@TargetClass(className = "io.lettuce.core.resource.IOUringProvider")
final class NoIoUring {
    private NoIoUring() {}

    @Substitute
    public static boolean isAvailable() {
        return false;
    }

    @Substitute
    static void checkForIOUringLibrary() {
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
