import { treeOf } from "../policies/inputs/judged-inputs.ts";
import type { RunnerJobType } from "../runner-job-types.ts";
import { makePlanView } from "./make-plan-view.ts";
import type { PlanView, ViewTool } from "./plan-view.ts";
import { textHider } from "./text-hider.ts";
import { viewOfJob } from "./view-of-job.ts";
import { viewOfObjects } from "./view-of-objects.ts";
import { viewOfPulumi } from "./view-of-pulumi.ts";
import { viewOfTerraform } from "./view-of-terraform.ts";

/** What a planning job brought, as far as it could be read. */
export type PlanSaid = {
  readonly type: RunnerJobType;
  /** Of JSON, what is to be shown; undefined: there is none. */
  readonly shown: unknown;
  /** Of JSON, what the job says in short. */
  readonly summary: unknown;
  /** What the tool printed. */
  readonly text: string;
  /** Texts that nobody may see. */
  readonly secrets: readonly string[];
};

/** The view of what a planning job brought: structured where its JSON is of a known shape, else its text and the counts that are known. */
export function planViewOf(said: PlanSaid): PlanView {
  const { type, shown, summary, secrets } = said;
  const tool = viewToolOf(type);
  const view = structured(tool, shown, secrets);
  if (view === undefined) return viewOfText(tool, { ...said, text: said.text || textIn(shown) });
  const hasMore = treeOf(summary)["has_changes"] === true;
  return hasMore && view.is_noop ? { ...view, is_noop: false } : view;
}

/** Which tool plans in a job of this type. */
export function viewToolOf(type: RunnerJobType): ViewTool {
  if (/pulumi/.test(type)) return "pulumi";
  if (/helm/.test(type)) return "helm";
  if (/manifest/.test(type)) return "manifests";
  return type === "job-deploy" ? "job" : "terraform";
}

function structured(
  tool: ViewTool,
  shown: unknown,
  secrets: readonly string[],
): PlanView | undefined {
  try {
    if (tool === "terraform") return viewOfTerraform(shown, secrets);
    if (tool === "pulumi") return viewOfPulumi(shown, secrets);
    if (tool === "job") return viewOfJob(shown, secrets);
    return viewOfObjects(tool, shown, secrets);
  } catch (error) {
    if (error instanceof RangeError) return undefined; // nested deeper than the stack is
    throw error;
  }
}

/** What JSON of no known shape has as the plan for people. */
function textIn(shown: unknown): string {
  const { plan } = treeOf(shown);
  return typeof plan === "string" ? plan : "";
}

function viewOfText(tool: ViewTool, { summary, text, secrets }: PlanSaid): PlanView {
  const told = treeOf(summary);
  const count = (name: string): number =>
    Number.isSafeInteger(told[name]) ? Math.max(0, Number(told[name])) : 0;
  const counts = {
    added: count("add"),
    changed: count("change"),
    replaced: count("replace"),
    removed: count("destroy"),
  };
  const isStill = told["has_changes"] === false && told["has_drift"] !== true && tool !== "job";
  const hide = textHider(secrets);
  return makePlanView({ tool, summary: counts, is_noop: isStill, changes: [], text }, hide);
}
