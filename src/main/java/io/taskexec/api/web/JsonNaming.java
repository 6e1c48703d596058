package io.taskexec.api.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.module.SimpleModule;
import io.quarkus.jackson.ObjectMapperCustomizer;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.time.Instant;

/**
 * Snake case, no nulls, and numbers of documents as they were given: 12.50 is not 12.5. A bean, because the properties
 * for it fail in a native image.
 */
@Singleton
final class JsonNaming implements ObjectMapperCustomizer {
    @Override
    public void customize(ObjectMapper mapper) {
        mapper.setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .setDefaultPropertyInclusion(JsonInclude.Include.NON_NULL)
                .configure(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES, false)
                .registerModule(new SimpleModule().addSerializer(Instant.class, new Times()));
    }

    /** After the modules of the framework, of which one has times of its own. */
    @Override
    public int priority() {
        return MINIMUM_PRIORITY;
    }

    /** Keeps the last time that it wrote: jobs and executions that are created together have one time of creation. */
    private static final class Times extends JsonSerializer<Instant> {
        private volatile Written last = new Written(Instant.EPOCH, Instant.EPOCH.toString());

        private record Written(Instant time, String text) {}

        @Override
        public void serialize(Instant time, JsonGenerator generator, SerializerProvider provider) throws IOException {
            var written = last;
            if (!written.time().equals(time)) {
                written = new Written(time, time.toString());
                last = written;
            }
            generator.writeString(written.text());
        }
    }
}
