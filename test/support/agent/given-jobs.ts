import type { NewJob } from "../../../broker/jobs/new-job.ts";
import type { RunnerJobGroup } from "../../../shared/runner-job-types.ts";
import { type Fleet, type TestRunner } from "../broker/given-fleet.ts";
import { until } from "../broker/given-polling.ts";
import { logOf } from "../logs/read-log.ts";
import { startTestAgent, type TestAgent } from "./start-test-agent.ts";

/** A job that has ended, with all that its execution said. */
export type EndedJob = {
  readonly id: string;
  readonly status: string;
  readonly description: string;
  readonly outputs: Record<string, unknown>;
  readonly result: {
    readonly success: boolean;
    readonly error_code: number;
    readonly error_metadata: Record<string, string>;
    readonly composite_error?: Readonly<Record<string, unknown>> | null;
    readonly contents?: string;
    readonly contents_display?: string;
    readonly contents_gzip?: string;
    readonly contents_display_gzip?: string;
  } | null;
};

export type RunnerWithAgent = TestRunner & {
  readonly agent: TestAgent;
  /** Resolves when the job has ended in whatever way and its result is there. */
  readonly ended: (jobId: string) => Promise<EndedJob>;
  /** Enqueues a job and waits for its end. */
  readonly run: (job: Partial<NewJob>) => Promise<EndedJob>;
  /** The bodies of a job's log, in order. */
  readonly logOf: (jobId: string) => Promise<string[]>;
  /** The same for an action with these steps. */
  readonly runSteps: (steps: readonly object[], plan?: object) => Promise<EndedJob>;
};

const slots: Partial<Record<RunnerJobGroup, number>> = {
  operations: 4,
  actions: 2,
  deploy: 2,
  sandbox: 2,
  sync: 2,
  build: 2,
  runner: 1,
};

/** A runner whose agent runs in this process, with these settings and variables. */
export async function givenRunnerWithAgent(
  fleet: Fleet,
  settings: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<RunnerWithAgent> {
  const runner = await fleet.addRunner({ parallelism: slots });
  const groups = Object.entries(slots)
    .map(([group, count]) => `${group}=${count}`)
    .join(",");
  const given = { url: fleet.broker.url, token: runner.token, env };
  const agent = await startTestAgent(given, { groups, ...settings });
  return { ...jobReader(fleet, runner), agent };
}

/** A runner whose agent the caller starts. */
export function jobReader(fleet: Fleet, runner: TestRunner): Omit<RunnerWithAgent, "agent"> {
  const ended = async (jobId: string): Promise<EndedJob> => {
    await until(async () => isOver((await runner.job(jobId)).status));
    const job = await runner.job(jobId);
    const executionId = job.executions.at(-1)?.id ?? "";
    const path = `GET /v1/runner-jobs/${jobId}/executions/${executionId}/result`;
    const token = runner.operatorToken;
    const { status, body } = await fleet.broker.call<EndedJob["result"]>(path, { token });
    return {
      id: jobId,
      status: job.status,
      description: job.status_description,
      outputs: job.outputs ?? {},
      result: status === 200 ? body : null,
    };
  };
  const run = async (job: Partial<NewJob>): Promise<EndedJob> =>
    await ended(await runner.enqueue(job));
  return {
    ...runner,
    ended,
    run,
    logOf: async (jobId) => await logOf(fleet, runner, jobId),
    runSteps: async (steps, plan = {}) =>
      await run({ type: "actions-workflow", plan: JSON.stringify({ ...plan, steps }) }),
  };
}

const isOver = (status: string): boolean =>
  !["queued", "available", "in-progress"].includes(status);
