import type { z } from "zod";
import { Problem } from "../../../shared/problem.ts";
import { scanJson } from "../../../shared/scan-json.ts";
import type { signalTypes } from "../../../shared/signal-types.ts";
import { endJob } from "../../jobs/end-job.ts";
import { enqueueJob } from "../../jobs/enqueue-job.ts";
import { toNewJob } from "../../jobs/to-new-job.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import type { RunTurn, TurnParts } from "./turn.ts";

type RunnerJob = z.infer<(typeof signalTypes)["runner-job"]["schema"]>;

/** Enqueues the job, once for all executions that were lost after it; by default the signal then waits for its end. */
export const runRunnerJob: RunTurn<RunnerJob> = async (parts, turn, contents) => {
  const waits = contents.wait_for === "end";
  const jobId =
    turn.jobId ??
    (await enqueueFor(parts, turn, {
      contents,
      text: turn.text,
      key: `signal ${turn.signalId} ${turn.attempt}`,
      signalId: waits ? turn.signalId : undefined,
      metadata: { signal_id: turn.signalId },
    }));
  return waits ? { event: "await-job", jobId } : { event: "finish", result: { job_id: jobId } };
};

type JobOfSignal = {
  readonly contents: RunnerJob;
  /** The contents as they were filed: the plan is a part of it, byte for byte. */
  readonly text: string;
  /** One job for each key; no caller of the API can send one with spaces. */
  readonly key: string;
  readonly signalId?: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
};

/** Enqueues a job that a signal or a callback describes; answers its id. Refuses like every enqueue. */
export async function enqueueFor(
  parts: TurnParts,
  { orgId, actorId }: { readonly orgId: OrgId; readonly actorId: string },
  { contents, text, key, signalId, metadata }: JobOfSignal,
): Promise<string> {
  const { runner_id: runnerId, wait_for: _, ...asked } = contents;
  const plan = scanJson(text, { maxDepth: deepest, verbatim: ["plan"] }).raw.get("#/plan");
  const job = toNewJob(asked, plan);
  const { job: made } = await enqueueJob(parts, {
    orgId,
    actorId,
    runnerId,
    job: { ...job, metadata: { ...job.metadata, ...metadata } },
    takesPermit: true,
    idempotency: { key, request: key },
    signalId,
  });
  return made.id;
}

const deepest = 1000;

/** Cancels the job of a signal that ended without it; one that has ended stays as it is. */
export async function cancelJobOf(
  { db, wakes }: Pick<TurnParts, "db" | "wakes">,
  { orgId }: { readonly orgId: OrgId },
  jobId: string,
): Promise<void> {
  const why = "the signal that waited for it has ended";
  try {
    await endJob({ db, wakes }, orgId, { jobId, event: "cancel", why });
  } catch (error) {
    if (!(error instanceof Problem)) throw error; // it has ended by itself
  }
}
