import type { OrgId } from "../../orgs/org-id.ts";
import { applyPlanOf } from "./apply-plan-of.ts";
import { type PlannedParts, readJobTexts } from "./read-job-texts.ts";
import type { PlanningJob } from "./read-planned.ts";
import { parseResultTexts } from "./result-texts.ts";

/** What was planned cannot be applied: `message` says why, as `Planned.obstacle` did. */
export class NotApplicable extends Error {
  override readonly name = "NotApplicable";
}

/** Longer texts are put together by a child. */
const mostQuickBytes = 64 * 1024;

/**
 * The text of the plan of the job that applies exactly what a planning job found, without a login. Hold no permit for the database
 * meanwhile. Throws NotApplicable where there is none; refuses as the pool of child processes does (`isRefusedForOthers`: ask again).
 */
export async function findApplyPlan(
  parts: PlannedParts,
  org: OrgId,
  { jobId, type }: PlanningJob,
): Promise<string> {
  const { result, plan, sizeBytes } = await readJobTexts(parts, org, jobId);
  const isHere = result instanceof Uint8Array && plan instanceof Uint8Array;
  if (isHere && sizeBytes <= mostQuickBytes) {
    const read = parseResultTexts(textOf(result));
    const made = applyPlanOf({ type, plan: textOf(plan), result: read });
    if ("obstacle" in made) throw new NotApplicable(made.obstacle);
    return made.text;
  }
  const work = { orgId: org, kind: "plans.apply", asked: { type }, bytes: [result, plan] } as const;
  const { told, bytes } = await parts.work.run(work);
  const [text] = bytes;
  if (text === undefined) throw new NotApplicable(told.obstacle ?? "There is no plan to apply.");
  return textOf(text);
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");
