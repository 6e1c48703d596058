package io.taskexec.client.worker;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Threads for what waits: virtual ones from Java 21 on. */
final class VirtualThreads {
    private VirtualThreads() {}

    /** Looked up by name, since this is compiled for Java 17. */
    static ExecutorService newExecutor() {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException e) {
            return Executors.newCachedThreadPool(run -> {
                var thread = new Thread(run, "taskexec-task");
                thread.setDaemon(true);
                return thread;
            });
        }
    }
}
