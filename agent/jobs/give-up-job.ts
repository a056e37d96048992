import type { LocalContext } from "../local-context.ts";
import { makeRedactor } from "../logs/redactor.ts";
import { abandonJob } from "./abandon-job.ts";
import { JobFailure } from "./job-failure.ts";
import { jobOutcome } from "./job-outcome.ts";
import { endOf, recordEnd } from "./record-end.ts";
import type { StoredExecution } from "./stored-execution.ts";

/** Ends an execution as failed without taking it up: whoever took it up did not live. */
export async function giveUpJob(
  local: LocalContext,
  stored: StoredExecution,
  times: number,
): Promise<void> {
  const { job, execution_id } = stored;
  const words = `The agent died ${times} times in a row within a minute after it took this job up; it is not tried again.`;
  local.log.error({ execution_id, times }, "a job is given up: the agent dies of taking it up");
  if (!local.results.list().includes(execution_id)) {
    const failure = new JobFailure(words, { reason: "internal" });
    const redactor = makeRedactor([]);
    const { words: _, ...finish } = jobOutcome({ kind: "failed", failure }, redactor);
    const result = { job_id: job.id, finish };
    await local.results.put(execution_id, result);
    recordEnd(local, stored, endOf(result));
  }
  await abandonJob(local, execution_id);
}
