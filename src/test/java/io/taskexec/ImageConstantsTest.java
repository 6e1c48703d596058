package io.taskexec;

import static io.taskexec.MainClasses.calls;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitCallTarget;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Quarkus makes the constants of all classes while it builds a native image, which keeps them as they are then. */
class ImageConstantsTest {
    /** What differs from machine to machine, and from start to start. */
    private static final Predicate<CodeUnitCallTarget> OF_THE_MACHINE = calls(
                    System.class, "getenv|getProperty|nanoTime")
            .or(calls(System.class, "currentTimeMillis|getLogger"))
            .or(calls(java.time.Instant.class, "now"))
            .or(calls(java.time.ZoneId.class, "systemDefault"))
            .or(calls(java.util.Locale.class, "getDefault"))
            .or(calls(java.util.UUID.class, "randomUUID"))
            .or(calls(Runtime.class, "availableProcessors|addShutdownHook"))
            .or(calls(ProcessHandle.class, ".*"))
            .or(calls(Thread.class, "start.*|of.*"))
            .or(calls(Files.class, ".*"));

    /** What no constant of an image may hold. */
    private static final List<Class<?>> NOT_IN_IMAGES = List.of(
            java.net.InetAddress.class,
            java.net.InetSocketAddress.class,
            java.net.http.HttpClient.class,
            java.util.Random.class,
            java.util.concurrent.ExecutorService.class,
            Thread.class,
            Process.class,
            java.nio.channels.Channel.class,
            java.nio.MappedByteBuffer.class,
            java.lang.ref.Cleaner.class,
            System.Logger.class,
            io.vertx.core.Vertx.class,
            io.netty.channel.EventLoopGroup.class);

    @Test
    void noConstantHoldsWhatAnImageCannotKeep() {
        assertThat(MainClasses.ALL.stream()
                        .flatMap(type -> type.getFields().stream())
                        .filter(field -> field.getModifiers().contains(JavaModifier.STATIC))
                        .map(field -> field.reflect()))
                .isNotEmpty()
                .allSatisfy(field -> assertThat(reached(field.getGenericType()))
                        .as("%s", field)
                        .allSatisfy(type ->
                                assertThat(NOT_IN_IMAGES).noneMatch(forbidden -> forbidden.isAssignableFrom(type))));
    }

    @Test
    void noConstantDependsOnTheMachineThatBuilds() {
        assertThat(MainClasses.ALL.stream()
                        .flatMap(type -> type.getStaticInitializer().stream())
                        .flatMap(initializer -> initializer.getCallsFromSelf().stream())
                        .filter(call -> OF_THE_MACHINE.test(call.getTarget())))
                .isEmpty();
    }

    /**
     * The classes of what a field of this type may hold: their own, those of type arguments, and those of our fields.
     */
    private static Set<Class<?>> reached(Type type) {
        var reached = new HashSet<Class<?>>();
        reach(type, reached);
        return reached;
    }

    private static void reach(Type type, Set<Class<?>> reached) {
        if (type instanceof ParameterizedType generic) {
            reach(generic.getRawType(), reached);
            Stream.of(generic.getActualTypeArguments()).forEach(argument -> reach(argument, reached));
        } else if (type instanceof Class<?> found
                && reached.add(found)
                && found.getName().startsWith(MainClasses.ROOT)) {
            Stream.of(found.getDeclaredFields())
                    .filter(field -> !Modifier.isStatic(field.getModifiers()))
                    .forEach(field -> reach(field.getGenericType(), reached));
        }
    }
}
