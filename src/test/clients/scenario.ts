// What a user of the TypeScript client does, against a running server. GeneratedScriptsIT compiles and runs it.
import {
    Configuration,
    Endpoint,
    EndpointsApi,
    ErrorResponseFromJSON,
    Execution,
    ExecutionsApi,
    ExecutionStatus,
    JobsApi,
    JobTrigger,
    NewEndpoint,
    NewJob,
    ResponseError,
    SecretsApi,
} from './index';

declare const process: { env: Record<string, string>; exitCode: number };

const { TE_URL: server, TE_KEY: key, RECEIVER_URL: receiver, SIGNING_KEY: signingKey } = process.env;
const client = new Configuration({ basePath: server, accessToken: key });
const endpoints = new EndpointsApi(client);
const jobs = new JobsApi(client);
const executions = new ExecutionsApi(client);

function check(what: string, actual: unknown, expected: unknown): void {
    if (JSON.stringify(actual) !== JSON.stringify(expected)) {
        throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
    }
}

async function endpointsOfEachType(): Promise<void> {
    const secrets = new SecretsApi(client);
    await secrets.createSecret({ newSecret: { name: 'ts-signing', value: signingKey } });
    await secrets.createSecret({ newSecret: { name: 'ts-password', value: 'correct-horse' } });
    const given: NewEndpoint[] = [
        {
            name: 'ts-http',
            type: 'HTTP',
            spec: {
                url: 'https://127.0.0.1:9/orders',
                method: 'PUT',
                headers: { 'X-Team': 'billing' },
                oauth2: { tokenUrl: 'https://127.0.0.1:9/token', clientId: 'me', clientSecret: '{{secret.ts-password}}' },
                signing: { secrets: ['ts-signing'] },
                cloudEvents: true,
            },
            retryPolicy: { maxAttempts: 3 },
        },
        {
            name: 'ts-kafka',
            type: 'KAFKA',
            spec: {
                bootstrapServers: '127.0.0.1:9092',
                topic: 'orders',
                valueTemplate: { n: '{{input.n}}' },
                security: {
                    protocol: 'sasl_ssl',
                    mechanism: 'scram-sha-512',
                    username: 'me',
                    password: '{{secret.ts-password}}',
                },
            },
        },
        {
            name: 'ts-redis',
            type: 'REDIS_STREAM',
            spec: {
                redisUrl: 'rediss://:{{secret.ts-password}}@127.0.0.1:6379/0',
                stream: 'orders',
                fieldsTemplate: { n: '{{input.n}}' },
                maxLen: 1000,
            },
        },
    ];
    for (const newEndpoint of given) {
        await endpoints.createEndpoint({ newEndpoint });
        const shown = await endpoints.getEndpoint({ name: newEndpoint.name });
        check('its target', target(shown), target(newEndpoint));
        const updated = await endpoints.updateEndpoint({ name: newEndpoint.name, endpointUpdate: newEndpoint });
        check('its version', updated.version, 2);
    }
    const listed = await endpoints.listEndpoints({ limit: 200 });
    const ours = listed.items.filter(it => given.some(({ name }) => name === it.name));
    check('types', ours.map(it => it.type), ['REDIS_STREAM', 'KAFKA', 'HTTP']);
    for (const { name } of given) {
        await endpoints.deleteEndpoint({ name });
    }
}

/** The compiler knows by the type which spec it is. */
function target(endpoint: Endpoint | NewEndpoint): string {
    switch (endpoint.type) {
        case 'HTTP':
            return endpoint.spec.url;
        case 'KAFKA':
            return endpoint.spec.topic;
        case 'REDIS_STREAM':
            return endpoint.spec.stream;
        case 'WORKFLOW':
            return Object.keys(endpoint.spec.jobs).join();
        case 'APPROVAL':
            return endpoint.spec.title;
        case 'WORKER':
            return endpoint.name;
    }
}

async function jobsOfEachKind(): Promise<void> {
    const newEndpoint: NewEndpoint = {
        name: 'ts-receiver',
        type: 'HTTP',
        spec: { url: `${receiver}/{{input.path}}`, method: 'POST', bodyTemplate: { n: '{{input.n}}' } },
    };
    await endpoints.createEndpoint({ newEndpoint });
    const endpoint = newEndpoint.name;
    const delayed: NewJob = {
        trigger: 'DELAYED',
        endpoint,
        idempotencyKey: 'ts-delayed',
        runAt: new Date(Date.now() + 3_600_000),
    };
    const cron: NewJob = {
        trigger: 'CRON',
        endpoint,
        cron: '0 9 * * MON',
        timezone: 'Europe/Berlin',
        dst: { gap: 'SKIP' },
        catchUp: { mode: 'LATEST' },
        tags: ['ts'],
    };
    const interval: NewJob = { trigger: 'INTERVAL', endpoint, every: 'PT1H', overlap: 'SKIP', maxFires: 3 };
    for (const newJob of [delayed, cron, interval]) {
        const created = await jobs.createJob({ newJob });
        check('trigger', created.trigger, newJob.trigger);
        check('read again', (await jobs.getJob({ id: created.jobId })).jobId, created.jobId);
        await jobs.cancelJob({ id: created.jobId });
    }
    const yesterday = new Date(Date.now() - 86_400_000);
    const listed = await jobs.listJobs({ trigger: JobTrigger.Cron, createdFrom: yesterday, tag: 'ts' });
    check('cron', listed.items.map(it => it.cron), ['0 9 * * MON']);

    const delivered = await ended({ endpoint, idempotencyKey: 'ts-1', input: { path: 'ok', n: 1 } });
    check('status', delivered.status, ExecutionStatus.Success);
    check('output', delivered.output?.statusCode, 200);
    const failed = await ended({ endpoint, idempotencyKey: 'ts-2', input: { path: 'no', n: 2 } });
    check('error', [failed.error?.type, failed.error?.statusCode], ['HTTP_ERROR', 400]);
    const attempts = await executions.listAttempts({ id: failed.executionId });
    check('attempts', attempts.items.map(it => it.error?.type), ['HTTP_ERROR']);
}

async function onePatchedFieldLeavesTheOthers(): Promise<void> {
    const input = [1, 'two', { three: 3 }];
    const newJob: NewJob = { trigger: 'INTERVAL', endpoint: 'ts-receiver', every: 'PT1H', tags: ['kept'], input };
    const first = await jobs.createJob({ newJob });
    const second = await jobs.patchJob({ id: first.jobId, jobPatch: { every: 'PT2H' } });
    check('patched', [second.every, [...second.tags], second.input], ['PT2H', ['kept'], input]);
    const third = await jobs.patchJob({ id: second.jobId, jobPatch: { input: { n: 2 } } });
    check('patched input', [third.every, third.input], ['PT2H', { n: 2 }]);
    await jobs.cancelJob({ id: third.jobId });
}

async function ended(newJob: NewJob): Promise<Execution> {
    const job = await jobs.createJob({ newJob });
    for (let tries = 0; tries < 200; tries++) {
        const execution = await executions.getExecution({ id: job.execution!.executionId });
        if (execution.completedAt !== undefined) {
            return execution;
        }
        await new Promise(resolve => setTimeout(resolve, 100));
    }
    throw new Error('the job has not run');
}

async function anErrorIsOfTheDocumentedType(): Promise<void> {
    try {
        await jobs.getJob({ id: 'job_' + '0'.repeat(32), xRequestId: 'asked-for-it' });
        throw new Error('there is no such job');
    } catch (failure) {
        if (!(failure instanceof ResponseError)) {
            throw failure;
        }
        const { error } = ErrorResponseFromJSON(await failure.response.json());
        check('error', [error.code, error.requestId], ['JOB_NOT_FOUND', 'asked-for-it']);
    }
}

async function main(): Promise<void> {
    await endpointsOfEachType();
    await jobsOfEachKind();
    await onePatchedFieldLeavesTheOthers();
    await anErrorIsOfTheDocumentedType();
    console.log('all is as expected');
}

main().catch(failure => {
    console.error(failure);
    process.exitCode = 1;
});
