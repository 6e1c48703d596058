"""What a user of the Python client does, against a running server. GeneratedScriptsIT runs it."""

import os
import time
from datetime import datetime, timedelta, timezone

import openapi_client as client

receiver = os.environ["RECEIVER_URL"]
configuration = client.Configuration(host=os.environ["TE_URL"], access_token=os.environ["TE_KEY"])
api = client.ApiClient(configuration)
endpoints = client.EndpointsApi(api)
jobs = client.JobsApi(api)
executions = client.ExecutionsApi(api)


def check(what, actual, expected):
    assert actual == expected, f"{what}: {actual!r} instead of {expected!r}"


def endpoints_of_each_type():
    secrets = client.SecretsApi(api)
    secrets.create_secret(client.NewSecret(name="py-signing", value=os.environ["SIGNING_KEY"]))
    secrets.create_secret(client.NewSecret(name="py-password", value="correct-horse"))
    http = client.HttpSpec(
        url="https://127.0.0.1:9/orders",
        method=client.HttpMethod.PUT,
        headers={"X-Team": "billing"},
        oauth2=client.ClientCredentials(
            token_url="https://127.0.0.1:9/token", client_id="me", client_secret="{{secret.py-password}}"
        ),
        signing=client.Signing(secrets=["py-signing"]),
        cloud_events=True,
    )
    kafka = client.KafkaSpec(
        bootstrap_servers="127.0.0.1:9092",
        topic="orders",
        value_template={"n": "{{input.n}}"},
        security=client.KafkaSecurity(
            protocol="sasl_ssl", mechanism="scram-sha-512", username="me", password="{{secret.py-password}}"
        ),
    )
    redis = client.RedisStreamSpec(
        redis_url="rediss://:{{secret.py-password}}@127.0.0.1:6379/0",
        stream="orders",
        fields_template={"n": "{{input.n}}"},
        max_len=1000,
    )
    retries = client.RetryPolicy(max_attempts=3)
    given = [
        (client.NewHttpEndpoint(name="py-http", type="HTTP", spec=http, retry_policy=retries), client.HttpEndpoint,
         client.HttpEndpointUpdate(type="HTTP", spec=http)),
        (client.NewKafkaEndpoint(name="py-kafka", type="KAFKA", spec=kafka), client.KafkaEndpoint,
         client.KafkaEndpointUpdate(type="KAFKA", spec=kafka)),
        (client.NewRedisStreamEndpoint(name="py-redis", type="REDIS_STREAM", spec=redis), client.RedisStreamEndpoint,
         client.RedisStreamEndpointUpdate(type="REDIS_STREAM", spec=redis)),
    ]
    for new, kind, update in given:
        endpoints.create_endpoint(client.NewEndpoint(new))
        shown = endpoints.get_endpoint(new.name).actual_instance
        check("the class", type(shown), kind)
        check("its version", endpoints.update_endpoint(new.name, client.EndpointUpdate(update)).actual_instance.version, 2)
    check("its URL", endpoints.get_endpoint("py-http").actual_instance.spec.url, http.url)
    listed = [it.actual_instance for it in endpoints.list_endpoints(limit=200).items]
    check("types", [it.type for it in listed if it.name in [new.name for new, _, _ in given]], ["REDIS_STREAM", "KAFKA", "HTTP"])
    for new, _, _ in given:
        endpoints.delete_endpoint(new.name)


def jobs_of_each_kind():
    spec = client.HttpSpec(
        url=receiver + "/{{input.path}}", method=client.HttpMethod.POST, body_template={"n": "{{input.n}}"}
    )
    endpoint = "py-receiver"
    endpoints.create_endpoint(client.NewEndpoint(client.NewHttpEndpoint(name=endpoint, type="HTTP", spec=spec)))
    now = datetime.now(timezone.utc)
    for new in [
        client.NewJob(
            trigger=client.JobTrigger.DELAYED, endpoint=endpoint, idempotency_key="py-delayed", run_at=now + timedelta(hours=1)
        ),
        client.NewJob(
            trigger=client.JobTrigger.CRON,
            endpoint=endpoint,
            cron="0 9 * * MON",
            timezone="Europe/Berlin",
            dst=client.DstPolicy(gap=client.DstGap.SKIP),
            catch_up=client.CatchUp(mode=client.CatchUpMode.LATEST),
            tags=["py"],
        ),
        client.NewJob(
            trigger=client.JobTrigger.INTERVAL, endpoint=endpoint, every="PT1H", overlap=client.OverlapPolicy.SKIP, max_fires=3
        ),
    ]:
        created = jobs.create_job(new)
        check("its trigger", created.trigger, new.trigger)
        check("read again", jobs.get_job(created.job_id).job_id, created.job_id)
        jobs.cancel_job(created.job_id)
    listed = jobs.list_jobs(trigger=client.JobTrigger.CRON, created_from=now - timedelta(days=1), tag="py").items
    check("cron", [it.cron for it in listed], ["0 9 * * MON"])

    delivered = ended(endpoint, "py-1", {"path": "ok", "n": 1})
    check("its status", delivered.status, client.ExecutionStatus.SUCCESS)
    check("its output", delivered.output.status_code, 200)
    failed = ended(endpoint, "py-2", {"path": "no", "n": 2})
    check("its error", (failed.error.type, failed.error.status_code), (client.DeliveryErrorType.HTTP_ERROR, 400))
    attempts = executions.list_attempts(failed.execution_id).items
    check("attempts", [it.error.type for it in attempts], [client.DeliveryErrorType.HTTP_ERROR])


def one_patched_field_leaves_the_others():
    job_input = [1, "two", {"three": 3}]
    new = client.NewJob(
        trigger=client.JobTrigger.INTERVAL, endpoint="py-receiver", every="PT1H", tags=["kept"], input=job_input
    )
    first = jobs.create_job(new)
    second = jobs.patch_job(first.job_id, client.JobPatch(every="PT2H"))
    check("patched", (second.every, second.tags, second.input), ("PT2H", ["kept"], job_input))
    third = jobs.patch_job(second.job_id, client.JobPatch(input={"n": 2}))
    check("patched input", (third.every, third.input), ("PT2H", {"n": 2}))
    jobs.cancel_job(third.job_id)


def ended(endpoint, key, job_input):
    new = client.NewJob(endpoint=endpoint, idempotency_key=key, input=job_input)
    job = jobs.create_job(new)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        execution = executions.get_execution(job.execution.execution_id)
        if execution.completed_at is not None:
            return execution
        time.sleep(0.1)
    raise AssertionError("the job has not run")


def an_error_is_of_the_documented_type():
    try:
        jobs.get_job("job_" + "0" * 32, x_request_id="asked-for-it")
    except client.ApiException as failure:
        check("its status", failure.status, 404)
        error = client.ErrorResponse.from_json(failure.body).error
        check("its error", (error.code, error.request_id), (client.ErrorCode.JOB_NOT_FOUND, "asked-for-it"))
    else:
        raise AssertionError("there is no such job")


endpoints_of_each_type()
jobs_of_each_kind()
one_patched_field_leaves_the_others()
an_error_is_of_the_documented_type()
print("all is as expected")
