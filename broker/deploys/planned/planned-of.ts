import { planViewOf, viewToolOf } from "../../../shared/plan-view/plan-view-of.ts";
import type { PlanView } from "../../../shared/plan-view/plan-view.ts";
import { taintedTexts } from "../../../shared/plan-view/tainted-texts.ts";
import { conflictsIn } from "../../../shared/plan-view/view-of-objects.ts";
import { treeOf } from "../../../shared/policies/inputs/judged-inputs.ts";
import { applyPlanOf, type PlannedTexts, plannedDigest } from "./apply-plan-of.ts";
import type { Planned } from "./planned.ts";
import { parsedJson } from "./result-texts.ts";
import { shownOf, tooMuch } from "./shown-of.ts";

/** What a planning job had and brought, and how much of it may be unpacked. */
export type PlannedGiven = PlannedTexts & {
  /** The plan as people may see it. */
  readonly twin: string | undefined;
  /** 0: nothing is unpacked, and people see the text that the tool printed. */
  readonly mostUnpackedBytes: number;
};

/** What decisions need of it; undefined when there is more to unpack than may be. */
export function plannedOf(given: PlannedGiven): Planned | undefined {
  const { type, plan, twin, result } = given;
  const shown = shownOf(given);
  if (shown === tooMuch) return undefined;
  const summary = parsedJson(result.contents ?? "");
  const text = result.contents_display ?? "";
  const asked = parsedJson(plan);
  const secrets = taintedTexts(asked, parsedJson(twin ?? ""));
  const view = planViewOf({ type, shown, summary, text, secrets });
  const isJob = viewToolOf(type) === "job";
  return {
    isNoOp: view.is_noop && !isJob,
    hasDrift: hasDrift(view.drift, summary),
    counts: view.summary,
    digest: plannedDigest(given),
    obstacle:
      obstacleOf(given, shown) ??
      (isUnseen(view, summary) && !isSimulated(asked) ? unseenWords(given) : undefined),
    view: JSON.stringify(view),
  };
}

function hasDrift(
  drift: Readonly<Record<"added" | "changed" | "removed", number>> | undefined,
  summary: unknown,
): boolean {
  if (drift !== undefined && drift.added + drift.changed + drift.removed > 0) return true;
  return (
    typeof summary === "object" &&
    summary !== null &&
    "has_drift" in summary &&
    summary.has_drift === true
  );
}

function obstacleOf(given: PlannedGiven, shown: unknown): string | undefined {
  const conflicts = conflictsIn(shown);
  if (conflicts > 0) {
    return `Others manage fields that it sets, of ${conflicts} objects: set force_conflicts to take them over, or leave them out.`;
  }
  const apply = applyPlanOf(given);
  return "obstacle" in apply ? apply.obstacle : undefined;
}

/** Nothing could be read of it, neither changes nor a text nor counts: to people it would look like a plan without changes. */
function isUnseen({ text, summary: counts }: PlanView, summary: unknown): boolean {
  if (text === undefined || text.trim() !== "") return false; // without changes that were read there is always a text
  const isCounted = Object.values(counts).some((count) => count > 0);
  return !isCounted && typeof treeOf(summary)["has_changes"] !== "boolean";
}

/** In sandbox mode a plan changes nothing, and may be anything. */
const isSimulated = (plan: unknown): boolean =>
  treeOf(treeOf(plan)["sandbox_mode"])["enabled"] === true;

const unseenWords = ({ mostUnpackedBytes }: PlannedGiven): string =>
  mostUnpackedBytes === 0
    ? "The plan is too large to be shown: nobody could see what would change. Make it smaller, or deploy it in parts."
    : "The plan cannot be shown: the planning job brought neither changes in a known form nor a text. Let its runner report contents_display.";
