import { z } from "zod";
import { listExecutionsRoute } from "../../shared/api/read-runner-job-executions.ts";
import { listRunnerJobsRoute } from "../../shared/api/read-runner-jobs.ts";
import { getProcessRoute } from "../../shared/api/runner-process.ts";
import type { AgentContext } from "../agent-context.ts";
import { clusterJobName, jobAt } from "../cluster-jobs/cluster-job.ts";
import type { ExecutorContext } from "./executor-context.ts";
import type { PodJobInfo } from "./pod-job-info.ts";
import { isForPod } from "./room-for-pods.ts";
import { giveBackUnbegun } from "./run-in-pod.ts";

/**
 * Takes up the jobs that the broker assigns to this process from before its start, and for which the cluster has no
 * Job: someone deleted it. What has not started is given back, and the rest is reported as lost, unless a pod of it
 * still runs. Never rejects.
 */
export async function takeUpLost(context: ExecutorContext): Promise<void> {
  const { local, own, connected, left } = context;
  const { runningJobs, results, log, config } = local;
  try {
    for (const info of await listBegunBefore(await connected, left)) {
      const { execution_id, job_id } = info;
      const isHeld = runningJobs.all().some(({ executionId }) => executionId === execution_id);
      if (isHeld || results.list().includes(execution_id)) continue;
      log.warn(
        { execution_id, job_id },
        "the cluster has no Job for a job that this agent had claimed",
      );
      const at = jobAt(own.namespace, clusterJobName(config.executorName, execution_id));
      runningJobs.add(giveBackUnbegun(context, { at, info }));
    }
  } catch (error) {
    if (!left.aborted)
      log.error({ err: error }, "failed to look for jobs whose Job is gone from the cluster");
  }
}

const atOnce = 100;

const startedSchema = z.looseObject({ started_at: z.iso.datetime() });
const jobsSchema = z.array(
  z.looseObject({
    id: z.string(),
    type: z.string(),
    group: z.string(),
    runner_process_id: z.string().nullable(),
  }),
);
const executionsSchema = z.array(
  z.looseObject({
    id: z.string(),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
  }),
);

/** All of these times are the broker's: whatever this process claimed itself started later. */
async function listBegunBefore(agent: AgentContext, signal: AbortSignal): Promise<PodJobInfo[]> {
  const { client, runnerId: runner_id } = agent;
  const process_id = agent.process().id;
  const how = { scope: "job", signal } as const;
  const { body } = await client.call(
    getProcessRoute,
    { params: { runner_id, process_id } },
    { ...how, answer: startedSchema },
  );
  const startedAtMs = Date.parse(body.started_at);
  const found: PodJobInfo[] = [];
  for (const { id: job_id, type, group } of await listOwn(agent, process_id, signal)) {
    const input = { params: { job_id } };
    const executions = await client.call(listExecutionsRoute, input, {
      ...how,
      answer: executionsSchema,
    });
    const last = executions.body.at(-1);
    if (last === undefined || last.finished_at !== null) continue;
    const claimed_at_ms = Date.parse(last.created_at);
    if (claimed_at_ms >= startedAtMs) continue;
    found.push({ job_id, execution_id: last.id, type, group, claimed_at_ms });
  }
  return found;
}

type SeenJob = z.infer<typeof jobsSchema>[number];

/** The jobs of this process that run in pods. */
async function listOwn(
  { client, runnerId: runner_id }: AgentContext,
  processId: string,
  signal: AbortSignal,
): Promise<SeenJob[]> {
  const how = { scope: "job", signal, answer: jobsSchema } as const;
  const own: SeenJob[] = [];
  for (let offset = 0; ; offset += atOnce) {
    const query = { status: "in-progress", limit: atOnce, offset } as const;
    const { body } = await client.call(listRunnerJobsRoute, { params: { runner_id }, query }, how);
    const page = jobsSchema.parse(body);
    own.push(...page.filter((job) => job.runner_process_id === processId && isForPod(job)));
    if (page.length < atOnce) return own;
  }
}
