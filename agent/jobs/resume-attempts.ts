import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { writeDurably } from "../files/atomic-file.ts";
import type { LocalContext } from "../local-context.ts";
import { makeRedactor } from "../logs/redactor.ts";
import { abandonJob } from "./abandon-job.ts";
import { executionFolder } from "./execution-record.ts";
import { JobFailure } from "./job-failure.ts";
import { jobOutcome } from "./job-outcome.ts";
import { endOf, recordEnd } from "./record-end.ts";
import type { StoredExecution } from "./stored-execution.ts";

/**
 * How often in a row an execution is resumed by agents that die within a minute: then the execution may be what kills
 * them.
 */
export const maxResumes = 10;
const wellAfterMs = 60_000;

/** Counts a resumption and returns how many there were in a row. An agent that stays alive resets the counter. */
export async function countResume(dataDir: string, executionId: string): Promise<number> {
  const file = path.join(executionFolder(dataDir, executionId), "take-ups");
  const before = Number.parseInt(await readFile(file, "utf8").catch(() => ""), 10) || 0;
  await writeDurably(file, String(before + 1));
  setTimeout(() => void rm(file, { force: true }).catch(() => {}), wellAfterMs).unref(); // then the counter is not reset
  return before + 1;
}

/** Fails an execution without resuming it, because the agents that resumed it died. */
export async function giveUpJob(
  local: LocalContext,
  stored: StoredExecution,
  times: number,
): Promise<void> {
  const { job, execution_id } = stored;
  const words = `The agent died ${times} times in a row within a minute of resuming this job. It is not resumed again.`;
  local.log.error({ execution_id, times }, "a job is not resumed: the agent died each time");
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
