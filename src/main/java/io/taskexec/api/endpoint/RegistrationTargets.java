package io.taskexec.api.endpoint;

import io.smallrye.mutiny.Uni;
import io.taskexec.job.CheckTime;
import io.taskexec.job.WorkflowJobs;
import io.taskexec.model.delivery.HostAndPort;
import io.taskexec.model.endpoint.ApprovalSpec;
import io.taskexec.model.endpoint.EndpointSpec;
import io.taskexec.model.endpoint.HttpSpec;
import io.taskexec.model.endpoint.KafkaSpec;
import io.taskexec.model.endpoint.RedisStreamSpec;
import io.taskexec.model.endpoint.TargetCheck;
import io.taskexec.model.endpoint.WorkflowSpec;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.template.Template;
import jakarta.inject.Singleton;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Refuses endpoints that nothing could ever be delivered to, as far as that can be seen before templates are resolved.
 */
@Singleton
class RegistrationTargets {
    private final TargetCheck check;
    private final WorkflowJobs jobs;

    RegistrationTargets(TargetCheck check, WorkflowJobs jobs) {
        this.check = check;
        this.jobs = jobs;
    }

    /**
     * Fails with an {@link ApiException} when the target is known and refused.
     *
     * @param pointer of the spec
     */
    Uni<Void> check(EndpointSpec spec, String pointer, CheckTime time) {
        return switch (spec) {
            case HttpSpec http -> checkUrl("/spec/url", fixedPart(http.url())).chain(() -> checkTokenUrl(http));
            case KafkaSpec kafka -> checkHosts("/spec/bootstrap_servers", HostAndPort.ofList(kafka.bootstrapServers()));
            case RedisStreamSpec redis -> checkHost("/spec/redis_url", HostAndPort.ofRedisUrl(redis.redisUrl()));
            case ApprovalSpec approval -> jobs.checkDelivering(approval.announce(), pointer + "/announce");
            case EndpointSpec.Worker _ -> Uni.createFrom().voidItem();
            case WorkflowSpec workflow -> jobs.check(workflow, pointer + "/jobs", time);
        };
    }

    /** The URL up to what a job decides; null when a config or a secret decides where it leads. */
    private static @Nullable String fixedPart(String url) {
        var template = Template.parse(url);
        var isFixed = template.references().stream().allMatch(r -> r.namespace().isOfJob());
        var before = template.beforeValueOfJob();
        return !isFixed ? null : before == null ? url : before;
    }

    private Uni<Void> checkTokenUrl(HttpSpec http) {
        var access = http.access();
        return access == null || access.oauth2() == null
                ? Uni.createFrom().voidItem()
                : checkUrl("/spec/oauth2/token_url", fixedPart(access.oauth2().tokenUrl()));
    }

    private Uni<Void> checkUrl(String pointer, @Nullable String url) {
        return url == null
                ? Uni.createFrom().voidItem()
                : check.refusal(parse(pointer, url))
                        .invoke(refusal -> refuse(pointer, refusal))
                        .replaceWithVoid();
    }

    private static URI parse(String pointer, String url) {
        try {
            return URI.create(url);
        } catch (IllegalArgumentException _) {
            throw invalid(pointer, "is not a URL");
        }
    }

    private Uni<Void> checkHosts(String pointer, @Nullable List<HostAndPort> targets) {
        return targets == null
                ? Uni.createFrom().voidItem()
                : Uni.join()
                        .all(targets.stream()
                                .map(target -> checkHost(pointer, target))
                                .toList())
                        .andFailFast()
                        .replaceWithVoid();
    }

    /** A target of null is a template, of which nothing can be said yet. */
    private Uni<Void> checkHost(String pointer, @Nullable HostAndPort target) {
        return target == null
                ? Uni.createFrom().voidItem()
                : check.refusal(target.host())
                        .invoke(refusal -> refuse(pointer, refusal))
                        .replaceWithVoid();
    }

    private static void refuse(String pointer, @Nullable String refusal) {
        if (refusal != null) {
            throw invalid(pointer, refusal.replaceAll("\\.$", ""));
        }
    }

    private static ApiException invalid(String pointer, String reason) {
        return ApiException.at(ErrorCode.INVALID_REQUEST, pointer, reason);
    }
}
