package io.taskexec.server;

import io.quarkus.runtime.annotations.RegisterForReflection;

/**
 * The classes of Caffeine that our caches use, and their entries: it has one for each combination of
 * features, and looks it up by its name, which says them in letters.
 */
@RegisterForReflection(
        classNames = {
            "com.github.benmanes.caffeine.cache.SSMS",
            "com.github.benmanes.caffeine.cache.SSMSA",
            "com.github.benmanes.caffeine.cache.SSMSW",
            "com.github.benmanes.caffeine.cache.PSMS",
            "com.github.benmanes.caffeine.cache.PSAMS",
            "com.github.benmanes.caffeine.cache.PSWMS",
            "com.github.benmanes.caffeine.cache.PSMW",
            "com.github.benmanes.caffeine.cache.PSWMW"
        })
final class CacheClasses {
    private CacheClasses() {}
}
