import type { JobResult } from "../../jobs/handler.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { blockWorkspace } from "../terraform/block-workspace.ts";
import { noteUpdateBegun } from "./lost-with-host.ts";
import type { PulumiContext } from "./pulumi-context.ts";
import { failureOfRun, pulumiFailure } from "./pulumi-failure.ts";
import { doneWords, stepCounts } from "./render-steps.ts";
import { isWell, type Ran, runPulumi } from "./run-pulumi.ts";
import { readOutputs } from "./stack-outputs.ts";
import { pushWhileItChanges, type Saved } from "./state-pusher.ts";

type Update = {
  readonly isDestroy: boolean;
  /** Whether it is held to the plan in the job's plan file. */
  readonly hasSavedPlan: boolean;
};

/** Updates or destroys the stack; its state goes to the broker meanwhile, and at the end. Throws JobFailure. */
export async function updateStack(context: PulumiContext, update: Update): Promise<JobResult> {
  const { job, files, version } = context;
  await noteUpdateBegun(job);
  const step = update.isDestroy ? "destroy" : "up";
  const plan = update.hasSavedPlan && !update.isDestroy ? [`--plan=${files.plan}`] : [];
  const pusher = pushWhileItChanges(context);
  const ran = await runPulumi(context, {
    key: "update",
    step,
    args: [step, "--yes", "--skip-preview", ...plan],
  }).finally(pusher.stop);
  const saved = await pusher.finish();
  if (!isWell(ran)) throw await unwell(context, step, { ran, saved });
  if (saved !== "saved") throw await unsaved(context, ran, saved);
  const counts = stepCounts(ran.counts);
  const outputs = await readOutputs(context);
  const open = Object.entries(outputs).filter(([, { sensitive }]) => !sensitive);
  const summary = {
    tool: "pulumi",
    pulumi_version: version,
    ...counts,
    outputs: Object.fromEntries(
      Object.entries(outputs).map(([name, { sensitive }]) => [name, { sensitive }]),
    ),
  };
  return {
    description: `Applied: ${doneWords(counts)}.`,
    outputs: Object.fromEntries(open.map(([name, { value }]) => [name, value ?? null])),
    result: { contents: JSON.stringify(summary) },
  };
}

type Ended = { readonly ran: Ran; readonly saved: Saved };

const placeOf: Readonly<Record<Saved, string>> = {
  saved: "The state that it left is saved at the broker.",
  "at-broker": "The broker keeps the state that it left as a rescued state.",
  "on-host": "The state that it left is sealed on this host and is sent to the broker later.",
};

async function unwell(
  context: PulumiContext,
  step: string,
  { ran, saved }: Ended,
): Promise<JobFailure> {
  const { job } = context;
  const { end, made, failed, steps } = ran;
  const isKilled = isKill(end);
  const hasBegun = steps.length > 0;
  if (isKilled || (job.signal.aborted && hasBegun)) {
    const open = Math.max(0, steps.length - made - failed);
    const counts = `of the steps that it began, ${made} were made, ${failed} failed${open > 0 ? `, and ${open} are unknown` : ""}`;
    const detail = `pulumi ${step} ${end.words}: ${counts}. ${placeOf[saved]}`;
    return await halfDone(context, detail, {
      kind: isKilled ? "killed_dirty" : "interrupted",
      ran,
    });
  }
  if (saved !== "saved") return await unsaved(context, ran, saved);
  const failure = failureOfRun(context, step, ran);
  if (made === 0) return failure;
  const { message, reason, code, metadata, composite } = failure;
  return new JobFailure(`${message} ${made} changes were made before; ${placeOf.saved}`, {
    reason,
    code,
    metadata: { ...metadata, made: String(made) },
    ...(composite !== undefined && { composite }),
  });
}

/** Signals have these codes; an error of pulumi is 255. */
function isKill({ code, why, tookMs }: Ran["end"]): boolean {
  return code === null ? why !== "stopped" || tookMs > 0 : code > 128 && code < 255;
}

type Half = { readonly kind: "killed_dirty" | "interrupted"; readonly ran: Ran };

async function halfDone(
  { job, run }: PulumiContext,
  detail: string,
  { kind, ran }: Half,
): Promise<JobFailure> {
  const { workspaceId } = run;
  const isBlocked = await blockWorkspace(job, { workspaceId, kind, detail });
  const next = isBlocked
    ? `The workspace is blocked. Inspect it, then unblock it: svc workspace unblock ${workspaceId}.`
    : "The workspace could not be blocked: inspect it before the next update.";
  const { made, failed, end } = ran;
  return pulumiFailure(`${detail} ${next}`, {
    class: kind,
    code: end.code,
    metadata: { made: String(made), failed: String(failed) },
  });
}

async function unsaved(
  { job, run: { workspaceId } }: PulumiContext,
  { made, end }: Ran,
  saved: Saved,
): Promise<JobFailure> {
  const words = `The state could not be saved after ${made} changes. ${placeOf[saved]} Until somebody has decided on it, the workspace is blocked.`;
  // The broker blocks it for a state that it keeps aside.
  if (saved === "on-host") {
    await blockWorkspace(job, { workspaceId, kind: "state_push_failed", detail: words });
  }
  return pulumiFailure(words, {
    class: "state_push_failed",
    code: end.code,
    metadata: { rescued: saved, made: String(made) },
  });
}
