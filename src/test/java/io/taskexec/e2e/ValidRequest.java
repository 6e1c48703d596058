package io.taskexec.e2e;

import java.util.List;

/** A valid request; in its body {@code #} stands for the number of the request. */
record ValidRequest(String method, String path, String body) {
    private static final String SPEC = """
            "spec":{"url":"http://127.0.0.1:9/a/{{input.a}}","method":"POST","headers":{"x-a":"{{config.a}}"},\
            "body_template":{"a":["{{secret.s}}"]},"timeout_ms":1000,"expected_status_codes":[200,201]},\
            "retry_policy":{"max_attempts":3,"backoff":"fixed","initial_delay_ms":5,"max_delay_ms":10}""";

    static final List<ValidRequest> ALL = """
            POST /payload-specs {"name":"n#","schema":{"type":"object","properties":{"a":{"type":"string",\
            "pattern":"^a+$"}},"required":["a"]}}
            PUT /payload-specs/p {"schema":{"type":"object","additionalProperties":{"$ref":"#/definitions/a"},\
            "definitions":{"a":{"enum":[1,"a"]}}}}
            POST /configs {"name":"n#","values":{"a":"b","c":[1,2.50,null,{"d":true}]}}
            PUT /configs/c {"name":"c","values":{"a":"b"}}
            POST /secrets {"name":"N_#","value":"secret"}
            PUT /secrets/s {"name":"s","value":"other"}
            POST /queues {"name":"n#","weight":3,"aging":"PT5M"}
            PUT /queues/q {"weight":1}
            POST /queues/none/pause {"until":"2030-01-01T00:00:00Z","reason":"r"}
            POST /endpoints {"name":"n#","type":"HTTP","payload_spec":"p","config":"c",<spec>}
            PUT /endpoints/e {"type":"HTTP","config":"c",<spec>}
            POST /jobs {"endpoint":"e","trigger":"IMMEDIATE","idempotency_key":"k#","priority":3,"input":{"a":"b",\
            "n":[1,{}]}}
            POST /jobs {"endpoint":"e","trigger":"DELAYED","idempotency_key":"k#","delay":"PT1H","ttl":"PT5M",\
            "deadline":"2098-01-01T00:00:00Z"}
            POST /jobs {"endpoint":"e","trigger":"DELAYED","idempotency_key":"k#","run_at":"2026-12-24T18:00:00+01:00",\
            "expires_at":"2026-12-24T19:00:00+01:00"}
            POST /jobs {"endpoint":"e","trigger":"CRON","idempotency_key":"k#","cron":"*/5 9-17 * JAN-MAR MON",\
            "timezone":"Europe/Berlin","starts_at":"2027-01-01T00:00:00Z","ends_at":"2029-01-01T00:00:00Z"}
            POST /jobs/batch {"jobs":[{"endpoint":"e","trigger":"IMMEDIATE","idempotency_key":"b#",\
            "input":1},{"endpoint":"none"}]}
            POST /schedules/preview {"cron":"H 2 L,15W * MON#1","timezone":"Europe/Berlin",\
            "from":"2026-03-28T00:00:00Z","ends_at":"2029-01-01T00:00:00Z","count":3,"dst":{"gap":"SKIP",\
            "overlap":"BOTH"}}
            POST /schedules/preview {"every":"PT1.5S","starts_at":"2026-03-28T00:00:00Z"}
            PUT /jobs/job_00000000000000000000000000000000 {"cron":"@daily","timezone":"UTC"}
            PUT /jobs/{cron} {"cron":"0 3 * * *","timezone":"UTC","input":{"a":1}}
            PATCH /jobs/job_00000000000000000000000000000000 {"cron":"@daily"}
            PATCH /jobs/{cron} {"cron":"0 3 * * *","dst":{"gap":null},"catch_up":{"max":9},"input":{"a":[1],"b":null}}
            POST /jobs/job_00000000000000000000000000000000/cancel
            POST /jobs/job_00000000000000000000000000000000/pause {"until":"2030-01-01T00:00:00Z","reason":"r"}
            POST /jobs/job_00000000000000000000000000000000/backfill {"from":"2025-01-01T00:00:00Z",\
            "to":"2025-02-01T00:00:00Z"}
            POST /jobs {"endpoint":"e","trigger":"INTERVAL","every":"PT1H","max_fires":3,"overlap":"SKIP",\
            "jitter":"PT1S","ttl":"PT1M","catch_up":{"mode":"ALL","max":9,"window":"P1D"},"tags":["a"]}
            POST /executions/bulk {"action":"retry","dry_run":true,"rate_per_sec":5,"max":9,\
            "filter":{"status":"FAILED","error_type":"TIMEOUT","endpoint":"e","queue":"default","tag":"a",\
            "created_from":"2026-01-01T00:00:00Z","created_before":"2027-01-01T00:00:00Z","retried":false}}
            POST /operations/op_00000000000000000000000000000000/cancel
            POST /executions/exec_00000000000000000000000000000000/cancel
            """.lines().map(ValidRequest::parse).toList();

    private static ValidRequest parse(String line) {
        var words = line.split(" ", 3);
        return new ValidRequest(words[0], words[1], words.length < 3 ? "" : words[2].replace("<spec>", SPEC));
    }
}
