import { Problem, problem } from "../../../shared/problem.ts";
import type { RunnerJobType } from "../../../shared/runner-job-types.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { isRefusedForOthers } from "../../work-pool/work-problems.ts";
import { plannedOf } from "./planned-of.ts";
import type { Planned } from "./planned.ts";
import { type JobTexts, type PlannedParts, readJobTexts } from "./read-job-texts.ts";
import { parseResultTexts } from "./result-texts.ts";

/** Longer texts are read by a child alone. */
export const mostQuickBytes = 64 * 1024;
/** So is what has more in it. */
export const mostQuickUnpackedBytes = 256 * 1024;
/** A longer plan is shown by the text that the tool printed. */
export const mostUnpackedBytes = 64 * 2 ** 20;

export type PlanningJob = { readonly jobId: string; readonly type: RunnerJobType };

/**
 * What a planning job has found: short results are read at once, others in a child process. Hold no permit for the database meanwhile.
 * Refuses as the pool of these processes does (`isRefusedForOthers`: ask again); what is too much for one of them is shown as the text that the tool printed.
 */
export async function findPlanned(
  parts: PlannedParts,
  org: OrgId,
  { jobId, type }: PlanningJob,
): Promise<Planned> {
  const texts = await readJobTexts(parts, org, jobId);
  const quick = plannedHere(type, texts);
  if (quick !== undefined) return quick;
  const work = { orgId: org, type, texts };
  try {
    return await plannedThere(parts, { ...work, mostUnpackedBytes });
  } catch (error) {
    if (!(error instanceof Problem) || isRefusedForOthers(error)) throw error;
    return await plannedThere(parts, { ...work, mostUnpackedBytes: 0 });
  }
}

function plannedHere(
  type: RunnerJobType,
  { result, plan, twin, sizeBytes }: JobTexts,
): Planned | undefined {
  if (sizeBytes > mostQuickBytes) return undefined;
  if (!(result instanceof Uint8Array) || !(plan instanceof Uint8Array)) return undefined;
  return plannedOf({
    type,
    plan: textOf(plan),
    twin: twin && textOf(twin),
    result: parseResultTexts(textOf(result)),
    mostUnpackedBytes: mostQuickUnpackedBytes,
  });
}

type There = {
  readonly orgId: OrgId;
  readonly type: RunnerJobType;
  readonly texts: JobTexts;
  readonly mostUnpackedBytes: number;
};

async function plannedThere(
  { work }: PlannedParts,
  { orgId, type, texts: { result, plan, twin }, mostUnpackedBytes }: There,
): Promise<Planned> {
  const { told, bytes } = await work.run({
    orgId,
    kind: "plans.view",
    asked: { type, mostUnpackedBytes },
    bytes: twin === undefined ? [result, plan] : [result, plan, twin],
    outOfMemory,
  });
  const { obstacle } = told; // it came as JSON, which has no undefined
  return { ...told, obstacle, view: textOf(bytes[0] ?? Buffer.from("{}")) };
}

/** It is not told: what needs less is tried then. */
const outOfMemory = (): Problem => problem.unavailable("The plan is too large to be read.", 5);

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");
