package io.taskexec.api.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.endpoint.Config;
import io.taskexec.request.ApiException;
import io.taskexec.request.ApiException.Detail;
import io.taskexec.request.ErrorCode;
import io.taskexec.store.endpoint.ConfigStore;
import io.taskexec.store.endpoint.EndpointStore.Registration;
import io.taskexec.store.endpoint.SecretStore;
import io.taskexec.template.Reference;
import io.taskexec.template.Scope;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Refuses endpoints whose templates name values that the config has not, or secrets that are not there: each execution
 * would fail. What goes between this look and the write is for the foreign keys, or for the execution, to find.
 */
@Singleton
class RegistrationTemplates {
    private static final int MAX_DETAILS = 50;

    private final ConfigStore configs;
    private final SecretStore secrets;

    RegistrationTemplates(ConfigStore configs, SecretStore secrets) {
        this.configs = configs;
        this.secrets = secrets;
    }

    /** Fails with an {@link ApiException} that names each template that has no value. */
    Uni<Void> check(Registration registration) {
        return Uni.combine()
                .all()
                .unis(config(registration.config()), secrets.missing(registration.secrets()))
                .with((config, missing) -> problems(registration, config, missing))
                .invoke(RegistrationTemplates::refuseIfAny)
                .replaceWithVoid();
    }

    private Uni<@Nullable Config> config(@Nullable String name) {
        return name == null ? Uni.createFrom().nullItem() : configs.find(name);
    }

    private static List<Detail> problems(Registration registration, @Nullable Config config, Set<String> missing) {
        JsonNode values = config == null ? null : config.values();
        var scope = new Scope(null, values, name -> missing.contains(name) ? null : "");
        var problems = new ArrayList<Detail>();
        EndpointRequests.templates(registration.spec())
                .forEach((pointer, template) -> template.references().stream()
                        .filter(reference -> isKnown(reference, config))
                        .flatMap(reference -> Stream.ofNullable(reference.problem(scope)))
                        .forEach(problem -> problems.add(new Detail(pointer, problem))));
        return problems;
    }

    /** What a job brings is not known yet; and of a config that does not exist, the write says so. */
    private static boolean isKnown(Reference reference, @Nullable Config config) {
        return switch (reference.namespace()) {
            case INPUT, PARENTS, WORKFLOW, JOB -> false;
            case CONFIG -> config != null;
            case SECRET -> true;
        };
    }

    private static void refuseIfAny(List<Detail> problems) {
        if (!problems.isEmpty()) {
            var more = problems.size() == 1 ? "." : ", and " + (problems.size() - 1) + " more.";
            throw new ApiException(
                    ErrorCode.TEMPLATE_RESOLUTION_FAILED,
                    problems.getFirst().message() + more,
                    problems.stream().limit(MAX_DETAILS).toList());
        }
    }
}
