import { getRunnerJobPlanRoute } from "../../shared/api/read-runner-jobs.ts";
import { processSecretHeader } from "../../shared/api/runner-process.ts";
import type { AgentContext } from "../agent-context.ts";
import { planAnswerBytes } from "../client/broker-client.ts";
import type { Plan } from "./handler.ts";

/**
 * Fetches the plan of a job that this agent holds. With the execution's token it also works after the job's end.
 * Rejects when the signal aborts.
 */
export async function fetchPlan(
  { client, runnerId, process }: AgentContext,
  jobId: string,
  { signal, token }: { readonly signal: AbortSignal; readonly token?: string | undefined },
): Promise<Plan> {
  const params = { runner_id: runnerId, job_id: jobId };
  const headers = { [processSecretHeader]: process().secret };
  const how = { scope: "job", signal, mostBytes: planAnswerBytes, token } as const;
  const { text } = await client.call(getRunnerJobPlanRoute, { params, headers }, how);
  return JSON.parse(text) as Plan; // the broker accepts only objects as plans
}
