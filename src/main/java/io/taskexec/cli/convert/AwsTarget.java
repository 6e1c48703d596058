package io.taskexec.cli.convert;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** Converts the target of a schedule of EventBridge: few have an address that can be called from outside of AWS. */
final class AwsTarget {
    private static final Pattern ARN = Pattern.compile("arn:[\\w-]+:([\\w-]+):([\\w-]*):(\\d*):(.*)");
    private static final Pattern API_GATEWAY = Pattern.compile("(\\w+)/([^/]+)/([A-Z]+|\\*)(/.*)?");

    /** By the service in the ARN. */
    private static final Map<String, String> ADVICE = Map.of(
            "lambda", "Give the Lambda function a function URL, and set it",
            "events", "Set the invocation endpoint of the API destination, and the credentials of its connection",
            "sqs", "Set the URL of a service that puts the message into the SQS queue",
            "sns", "Set the URL of a service that publishes to the SNS topic",
            "states", "Set the URL of a service that starts the execution of Step Functions",
            "ecs", "Set the URL of a service that runs the task of ECS");

    private AwsTarget() {}

    /** Sets the endpoint. */
    static void set(JsonNode target, String name, Draft draft) throws NoEquivalentException {
        var request = new HttpRequestDraft(draft);
        var arn = target.path("Arn");
        var found = ARN.matcher(arn.asText());
        if (target.isMissingNode()) {
            request.withoutUrl("The file has no target. Set the URL of the one that is printed by: aws events"
                    + " list-targets-by-rule --rule " + name);
        } else if (!arn.isTextual() || !found.matches()) {
            request.withoutUrl("The target is not a plain ARN. Set the URL of what is called.");
        } else if (found.group(1).equals("execute-api")) {
            gateway(found.group(2), found.group(4), draft, request);
        } else {
            request.withoutUrl(ADVICE.getOrDefault(found.group(1), "Set the URL of a service that calls the target")
                    + ": " + arn.asText() + ".");
        }
        if (target.has("RoleArn")) {
            draft.remark(
                    "RoleArn has no equivalent: deliveries are not signed with the credentials of AWS. See signing,"
                            + " oauth2 and tls of an endpoint.");
        }
        if (target.has("InputPath") || target.has("InputTransformer")) {
            draft.complete("Set the body: InputPath and InputTransformer have no equivalent.");
        }
        var input = target.path("Input");
        if (input.isTextual()) {
            request.changing(text -> text.replace("<aws.scheduler.scheduled-time>", "{{job.scheduled_for}}")
                    .replace("<aws.scheduler.execution-id>", "{{job.id}}"));
            request.body(input.textValue());
            if (input.textValue().contains("<aws.scheduler.attempt-number>")) {
                draft.complete("<aws.scheduler.attempt-number> has no equivalent in the body: the header"
                        + " Taskexec-Attempt has it.");
            }
            if (input.textValue().contains("<aws.scheduler.schedule-arn>")) {
                draft.complete("<aws.scheduler.schedule-arn> has no equivalent in the body.");
            }
        }
        request.finish();
    }

    private static void gateway(String region, String resource, Draft draft, HttpRequestDraft request)
            throws NoEquivalentException {
        var found = API_GATEWAY.matcher(resource);
        if (!found.matches()) {
            request.withoutUrl("Set the URL of the API: " + resource + ".");
            return;
        }
        var path = found.group(4) == null ? "/" : found.group(4);
        request.url("https://" + found.group(1) + ".execute-api." + region + ".amazonaws.com/" + found.group(2) + path);
        request.method(found.group(3).equals("*") ? "POST" : found.group(3).toUpperCase(Locale.ROOT));
        if (path.contains("*")) {
            draft.complete("Replace * in the path of the URL by the path parameters of the target.");
        }
    }
}
