package io.taskexec.api;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.ApiException.Detail;
import io.taskexec.model.EndpointSpec;
import io.taskexec.model.HttpSpec;
import io.taskexec.model.TargetCheck;
import io.taskexec.template.Namespace;
import io.taskexec.template.Template;
import jakarta.inject.Singleton;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Refuses endpoints that nothing could ever be delivered to, as far as that can be seen before templates are resolved. */
@Singleton
class RegistrationTargets {
    private static final String POINTER = "/spec/url";

    private final TargetCheck check;

    RegistrationTargets(TargetCheck check) {
        this.check = check;
    }

    /** Fails with an {@link ApiException} when the target is known and refused. */
    Uni<Void> check(EndpointSpec spec) {
        var url = switch (spec) {
            case HttpSpec http -> fixedPart(http.url());
        };
        if (url == null) {
            return Uni.createFrom().voidItem();
        }
        return check.refusal(parse(url)).invoke(RegistrationTargets::refuse).replaceWithVoid();
    }

    /** The URL up to what the input decides; null when a config or a secret decides where it leads. */
    private static @Nullable String fixedPart(String url) {
        var template = Template.parse(url);
        var isFixed = template.references().stream().allMatch(r -> r.namespace() == Namespace.INPUT);
        var before = template.before(Namespace.INPUT);
        return !isFixed ? null : before == null ? url : before;
    }

    private static URI parse(String url) {
        try {
            return URI.create(url);
        } catch (IllegalArgumentException _) {
            throw invalid("is not a URL");
        }
    }

    private static void refuse(@Nullable String refusal) {
        if (refusal != null) {
            throw invalid(refusal.replaceAll("\\.$", ""));
        }
    }

    private static ApiException invalid(String reason) {
        var detail = new Detail(POINTER, reason);
        return new ApiException(ErrorCode.INVALID_REQUEST, "'" + POINTER + "' " + reason + ".", List.of(detail));
    }
}
