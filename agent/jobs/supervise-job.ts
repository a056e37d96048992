import { formatDuration } from "../../shared/duration.ts";
import { isJobOver } from "../client/broker-errors.ts";
import { onceAborted, untilAborted } from "../client/pause.ts";
import type { LocalContext } from "../local-context.ts";
import { openJobLog } from "../logs/job-log.ts";
import { makeRedactor } from "../logs/redactor.ts";
import type { Child } from "../processes/child.ts";
import { findChild } from "../processes/find-child.ts";
import { adoptChild } from "../processes/hold-child.ts";
import type { PendingResult } from "../spool/result-outbox.ts";
import { jobOutcome } from "./job-outcome.ts";
import { logSpec } from "./lazy-job-log.ts";
import { causeOf } from "./stop-cause.ts";
import type { StopControl } from "./stop-control.ts";
import type { StoredExecution } from "./stored-execution.ts";

/** A job of an earlier process of the agent whose plan is not available yet. */
export type SupervisedJob = {
  readonly local: LocalContext;
  readonly stored: StoredExecution;
  readonly stop: StopControl;
};

/**
 * Supervises the children of a job until it can resume: its timeouts count, and a stop ends its children with their
 * stop plans. Returns undefined when it was stopped before.
 */
export async function superviseJob<T>(
  job: SupervisedJob,
  beginning: Promise<T>,
): Promise<{ readonly begun: T } | undefined> {
  const { stored, stop } = job;
  const closeClocks = runClocks(job);
  const seen = await Promise.race([
    beginning.then((begun) => ({ begun })).catch((error: unknown) => ({ error })),
    untilAborted(stop.signal).then(() => "stopped" as const),
  ]);
  closeClocks();
  if (seen !== "stopped" && "begun" in seen && !stop.signal.aborted) return seen;
  if (seen !== "stopped" && "error" in seen && !stop.signal.aborted) {
    if (!isJobOver(seen.error)) {
      await endChildren(job);
      throw seen.error;
    }
    stop.stop({ kind: "over" }, "gently");
  }
  job.local.log.warn(
    { execution_id: stored.execution_id, why: causeOf(stop.signal).kind },
    "a job was stopped before its plan could be fetched again",
  );
  await endChildren(job);
  return undefined;
}

/** Makes the result of a job that was stopped before its plan was available. */
export async function concludeSupervised({
  local,
  stored,
  stop,
}: SupervisedJob): Promise<PendingResult> {
  const redactor = makeRedactor([]);
  const ending = { kind: "stopped", cause: causeOf(stop.signal) } as const;
  const { words, ...finish } = jobOutcome(ending, redactor);
  const log = await openJobLog(local.logSpools, logSpec(stored), redactor);
  log.write(
    "The output since the agent died is not shown: the plan, which lists the secrets, could not be fetched.",
    "warn",
  );
  if (words !== "") log.write(words, "error");
  const { lastRecord } = await log.close();
  return { job_id: stored.job.id, finish: { ...finish, last_record: lastRecord } };
}

/** Starts timers for the timeouts that are stored. Returns a function that clears them. */
function runClocks({ local, stored, stop }: SupervisedJob): () => void {
  const { timeout_ms, started_at_ms, children } = stored;
  if (timeout_ms !== undefined) {
    const words = `after ${formatDuration(timeout_ms * 1e6)}`;
    stop.stopAfter(started_at_ms + timeout_ms - Date.now(), "job-timeout", words);
  }
  const timers: NodeJS.Timeout[] = [];
  for (const { number, timeoutMs, startedAtMs, end } of Object.values(children)) {
    if (timeoutMs === undefined || end !== undefined) continue;
    const leftMs = Math.max(0, startedAtMs + timeoutMs - Date.now());
    const endIt = (): void => {
      const child = adopt(local, stored.execution_id, number);
      void child?.stop().finally(child.leave);
    };
    timers.push(setTimeout(endIt, Math.min(leftMs, longestTimerMs)));
  }
  return () => {
    for (const timer of timers) clearTimeout(timer);
  };
}

const longestTimerMs = 2 ** 31 - 1;

async function endChildren({ local, stored, stop }: SupervisedJob): Promise<void> {
  const running = Object.values(stored.children).filter(({ end }) => end === undefined);
  const ending = running.map(async ({ number }) => {
    const child = adopt(local, stored.execution_id, number);
    if (child === undefined) return;
    onceAborted(stop.killSignal, () => void child.hasten());
    await child.stop();
    await child.remove();
  });
  await Promise.all(ending);
}

function adopt({ runDir }: LocalContext, executionId: string, step: number): Child | undefined {
  const manifest = findChild(runDir.path, executionId, step);
  return manifest && adoptChild(manifest, { from: 0 });
}
