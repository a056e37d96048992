import type { AgentContext } from "../agent-context.ts";
import type { ChildContext } from "./begin-child.ts";
import type { ExecutionRecord } from "./execution-record.ts";

const refusal =
  "The agent was told to run jobs as other users (job-user) after this job had begun as its own: it is not gone on with.";

/**
 * The user of a job's children: known on disk before the first one is born. A job that began as the agent's own user
 * starts no further child once there are users for jobs: what it has would be another's.
 */
export async function userOf(
  { jobUsers }: Pick<AgentContext, "jobUsers">,
  { state, saveDurably }: ExecutionRecord,
  signal: AbortSignal,
): Promise<ChildContext["user"]> {
  if (state.job_user !== undefined || !jobUsers.isOn) return state.job_user;
  if (Object.keys(state.children).length > 0) return { refusal };
  state.job_user = await jobUsers.take(state.execution_id, signal);
  await saveDurably();
  return state.job_user;
}
