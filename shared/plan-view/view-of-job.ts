import { isTree, listOf, type Tree, treeOf } from "../policies/inputs/judged-inputs.ts";
import { diffFields } from "./diff-fields.ts";
import { type DraftChange, makePlanView } from "./make-plan-view.ts";
import type { PlanView } from "./plan-view.ts";
import type { Hide } from "./shown-value.ts";
import { textHider } from "./text-hider.ts";

/** The view of what a planning job of a cluster's job brought: the Job that would be made, or those that would go; undefined of anything else. */
export function viewOfJob(shown: unknown, secrets: readonly string[]): PlanView | undefined {
  if (!isTree(shown) || typeof shown["plan"] !== "string") return undefined;
  const { op, plan } = shown;
  const hide = textHider(secrets);
  const changes = op === "teardown" ? removedIn(plan) : madeIn(plan, hide);
  const counts = treeOf(shown["counts"]);
  const count = (name: string, action: DraftChange["action"]): number => {
    const told = counts[name];
    const found = changes.filter((one) => one.action === action).length;
    return Math.max(found, Number.isSafeInteger(told) ? Number(told) : 0);
  };
  const summary = {
    added: count("create", "add"),
    changed: 0,
    replaced: 0,
    removed: count("delete", "remove"),
  };
  const text = changes.length === 0 && plan !== "" ? { text: plan } : {};
  // It runs whenever it is deployed.
  return makePlanView({ tool: "job", summary, is_noop: false, changes, ...text }, hide);
}

/** A line for each: "- Job shop/migrate-1 (delete)". */
function removedIn(plan: string): DraftChange[] {
  return [...plan.matchAll(/^- (.+) \(delete\)$/gm)].map(([, address = ""]) => ({
    address,
    type: "batch/v1/Job",
    name: address.split(/[ /]/).at(-1) ?? "",
    action: "remove",
    fieldsOf: () => ({ fields: [], isCut: false }),
  }));
}

function madeIn(plan: string, hide: Hide): DraftChange[] {
  const job = parsed(plan);
  if (job === undefined) return [];
  const { name, namespace } = treeOf(job["metadata"]);
  const place = [namespace, name].filter((one) => typeof one === "string").join("/");
  return [
    {
      address: `Job ${place}`,
      type: "batch/v1/Job",
      name: typeof name === "string" ? name : "",
      action: "add",
      reason: imagesOf(job),
      fieldsOf: () => diffFields({ after: job }, { hide, isUpdate: false }),
    },
  ];
}

function imagesOf(job: Tree): string {
  const pod = treeOf(treeOf(treeOf(job["spec"])["template"])["spec"]);
  const images = listOf(pod["containers"]).map((one) => treeOf(one)["image"]);
  const named = images.filter((one) => typeof one === "string");
  return named.length === 0 ? "" : `runs ${named.join(", ")}`;
}

function parsed(plan: string): Tree | undefined {
  try {
    const value: unknown = JSON.parse(plan);
    return isTree(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
