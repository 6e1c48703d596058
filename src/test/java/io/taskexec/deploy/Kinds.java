package io.taskexec.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;
import java.io.IOException;
import java.util.Map;
import java.util.Set;

/**
 * Validates objects of Kubernetes by its own client, which is made of the schemas of its API: unknown fields, missing
 * ones and those of another type are refused, as `kubectl apply --validate=strict` does. KEDA's kind is described here.
 */
final class Kinds {
    private static final Map<String, Check> CHECKS = Map.ofEntries(
            Map.entry("v1 ConfigMap", V1ConfigMap::validateJsonElement),
            Map.entry("v1 Namespace", V1Namespace::validateJsonElement),
            Map.entry("v1 Service", V1Service::validateJsonElement),
            Map.entry("v1 ServiceAccount", V1ServiceAccount::validateJsonElement),
            Map.entry("apps/v1 Deployment", V1Deployment::validateJsonElement),
            Map.entry("batch/v1 Job", V1Job::validateJsonElement),
            Map.entry("policy/v1 PodDisruptionBudget", V1PodDisruptionBudget::validateJsonElement),
            Map.entry("networking.k8s.io/v1 NetworkPolicy", V1NetworkPolicy::validateJsonElement),
            Map.entry("autoscaling/v2 HorizontalPodAutoscaler", V2HorizontalPodAutoscaler::validateJsonElement));

    private static final Set<String> OF_SCALED_OBJECTS = Set.of(
            "scaleTargetRef", "pollingInterval", "cooldownPeriod", "minReplicaCount", "maxReplicaCount", "triggers");
    private static final Set<String> OF_TRIGGERS = Set.of("type", "metricType", "metadata");
    private static final Set<String> OF_METRICS = Set.of("url", "format", "valueLocation", "targetValue");

    private Kinds() {}

    private interface Check {
        void of(JsonElement object) throws IOException;
    }

    /** Throws what is wrong. */
    static void check(JsonNode object) throws IOException {
        var kind =
                object.path("apiVersion").asText() + " " + object.path("kind").asText();
        if (kind.equals("keda.sh/v1alpha1 ScaledObject")) {
            checkScaledObject(object.path("spec"));
            return;
        }
        var check = CHECKS.get(kind);
        if (check == null) {
            throw new IllegalArgumentException("unknown kind " + kind);
        }
        check.of(JsonParser.parseString(object.toString()));
    }

    private static void checkScaledObject(JsonNode spec) {
        only(spec, OF_SCALED_OBJECTS);
        for (var trigger : spec.path("triggers")) {
            only(trigger, OF_TRIGGERS);
            only(trigger.path("metadata"), OF_METRICS);
            // KEDA takes texts, and a number there is refused.
            trigger.path("metadata").forEach(value -> {
                if (!value.isTextual()) {
                    throw new IllegalArgumentException(value + " is no text");
                }
            });
        }
    }

    private static void only(JsonNode object, Set<String> fields) {
        object.fieldNames().forEachRemaining(name -> {
            if (!fields.contains(name)) {
                throw new IllegalArgumentException("unknown field " + name);
            }
        });
    }
}
