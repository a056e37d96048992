import type { RunnerJobType } from "../../../shared/runner-job-types.ts";
import type { WorkDone, WorkGiven } from "../../work-pool/work-kind.ts";
import { applyPlanOf, type PlannedTexts } from "./apply-plan-of.ts";
import { plannedOf } from "./planned-of.ts";
import type { Planned } from "./planned.ts";
import { policyInputsOf } from "./policy-inputs-of.ts";
import { parseResultTexts } from "./result-texts.ts";

/** Bytes are the result's JSON, the plan and, where there is one, the plan's twin. */
export type ViewAsked = { readonly type: RunnerJobType; readonly mostUnpackedBytes: number };

/** What a planning job found, as `plannedOf` reads it; what is too large to be unpacked is shown by its text. Its view comes as bytes. */
export function viewPlan({ asked, bytes }: WorkGiven<ViewAsked>): WorkDone<Omit<Planned, "view">> {
  const { mostUnpackedBytes } = asked;
  const twin = bytes[2]?.toString("utf8");
  const given = { ...textsOf(asked.type, bytes), twin };
  const planned =
    plannedOf({ ...given, mostUnpackedBytes }) ?? plannedOf({ ...given, mostUnpackedBytes: 0 });
  if (planned === undefined) throw new Error("nothing was to be unpacked, and it was too much");
  const { view, ...told } = planned;
  return { told, bytes: [Buffer.from(view)] };
}

/** What of a plan policies judge, as bytes: the documents, and JSON of what else is known of them. */
export function readPolicyInputs({
  asked: { identity, ...asked },
  bytes,
}: WorkGiven<ViewAsked & { readonly identity: string }>): WorkDone<{ readonly obstacle?: string }> {
  const twin = bytes[2]?.toString("utf8");
  const found = policyInputsOf({ ...textsOf(asked.type, bytes), ...asked, twin }, identity);
  if ("obstacle" in found) return { told: found, bytes: [] };
  const { documents, ...more } = found;
  return { told: {}, bytes: [documents, JSON.stringify(more)].map((text) => Buffer.from(text)) };
}

/** The plan of the job that applies, as bytes, or why there can be none. */
export function makeApplyPlan({
  asked: { type },
  bytes,
}: WorkGiven<{ readonly type: RunnerJobType }>): WorkDone<{ readonly obstacle?: string }> {
  const made = applyPlanOf(textsOf(type, bytes));
  if ("obstacle" in made) return { told: made, bytes: [] };
  return { told: {}, bytes: [Buffer.from(made.text)] };
}

/** The bytes are let go of as they are read. */
function textsOf(type: RunnerJobType, bytes: Buffer[]): PlannedTexts {
  const [result = "", plan = ""] = bytes.splice(0).map((one) => one.toString("utf8"));
  return { type, plan, result: parseResultTexts(result) };
}
