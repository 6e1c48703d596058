package io.taskexec.web.frame;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.quarkus.qute.Engine;
import io.quarkus.qute.EvalContext;
import io.quarkus.qute.Expression;
import io.quarkus.qute.RawString;
import io.quarkus.qute.ResultMapper;
import io.quarkus.qute.TemplateLocator.TemplateLocation;
import io.quarkus.qute.TemplateNode.Origin;
import io.quarkus.qute.ValueResolver;
import io.quarkus.qute.Variant;
import io.taskexec.api.web.PlainPage;
import jakarta.inject.Singleton;
import java.io.Reader;
import java.io.StringReader;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Fills in templates. Everything that is filled in is escaped, but what {@link Display} and charts have made as HTML. A
 * template reads no Java object by reflection: data are JSON, maps, lists and plain values.
 */
@Singleton
final class Templates {
    private final Engine engine = Engine.builder()
            .addDefaults()
            .addValueResolver(new JsonValues())
            .addValueResolver(new DisplayFunctions())
            .addResultMapper(new Escaped())
            .addLocator(id -> Optional.of(new Located(id)))
            .strictRendering(true)
            .build();

    /** The HTML of a template. */
    String render(String name, Map<String, @Nullable Object> data) {
        var template = engine.getTemplate(name + ".html");
        if (template == null) {
            throw new IllegalStateException("there is no template '" + name + "'");
        }
        var instance = template.instance();
        data.forEach((key, value) -> instance.data(key, value == null ? JsonValues.ABSENT : value));
        return instance.render();
    }

    /** A template of the program. */
    private record Located(String id) implements TemplateLocation {
        @Override
        public Reader read() {
            return new StringReader(new String(Assets.Resources.read("templates/" + id), UTF_8));
        }

        @Override
        public Optional<Variant> getVariant() {
            return Optional.empty();
        }
    }

    /** Escapes all results, and writes nothing for what is not there. */
    private static final class Escaped implements ResultMapper {
        @Override
        public int getPriority() {
            return Integer.MAX_VALUE;
        }

        @Override
        public boolean appliesTo(Origin origin, @Nullable Object result) {
            return true;
        }

        @Override
        public String map(@Nullable Object result, Expression expression) {
            return switch (result) {
                case null -> "";
                case Map<?, ?> map when map.isEmpty() -> "";
                case RawString html -> html.getValue();
                default -> PlainPage.escape(result.toString());
            };
        }
    }

    /** Calls the functions of {@link Display}, which are those of {@code show} in a template. */
    private static final class DisplayFunctions implements ValueResolver {
        @Override
        public boolean appliesTo(EvalContext context) {
            return context.getBase() instanceof Display;
        }

        @Override
        public CompletionStage<Object> resolve(EvalContext context) {
            var display = (Display) context.getBase();
            var parameters = context.getParams();
            var first = parameters.isEmpty()
                    ? CompletableFuture.completedFuture(null)
                    : context.evaluate(parameters.getFirst()).toCompletableFuture();
            return first.thenApply(value -> display.apply(context.getName(), value));
        }
    }
}
