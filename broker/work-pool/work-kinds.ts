import { loadedKind } from "./work-kind.ts";

/**
 * All kinds of work that child processes do, by name. Each row loads its module when it is first asked for, so that a
 * child has in memory only what it uses.
 */
export const workKinds = {
  "configs.check": loadedKind(
    async () => (await import("../http/body/check-config-body.ts")).checkConfigBody,
  ),
  "configs.diff": loadedKind(
    async () => (await import("../app-configs/work/diff-texts.ts")).diffTexts,
  ),
  "configs.graph": loadedKind(
    async () => (await import("../app-configs/work/graph-of-text.ts")).graphOfText,
  ),
  "configs.reads": loadedKind(
    async () => (await import("../app-configs/work/reads-of-text.ts")).readsOfText,
  ),
  "bodies.read": loadedKind(
    async () => (await import("../http/body/read-large-body.ts")).readLargeBody,
  ),
  "bodies.record": loadedKind(
    async () => (await import("../http/body/read-large-record.ts")).readLargeRecord,
  ),
  "plans.facts": loadedKind(
    async () => (await import("../plan-scope/large-plan-facts.ts")).largePlanFacts,
  ),
  "plans.mask": loadedKind(async () => (await import("../jobs/mask-large-plan.ts")).maskLargePlan),
  "states.summarize": loadedKind(
    async () => (await import("../workspaces/summarize-in-child.ts")).summarizeInChild,
  ),
  "plans.outline": loadedKind(
    async () => (await import("../workflows/outline-plan.ts")).outlinePlan,
  ),
  "plans.view": loadedKind(
    async () => (await import("../deploys/planned/plans-in-child.ts")).viewPlan,
  ),
  "plans.policy-inputs": loadedKind(
    async () => (await import("../deploys/planned/plans-in-child.ts")).readPolicyInputs,
  ),
  "plans.apply": loadedKind(
    async () => (await import("../deploys/planned/plans-in-child.ts")).makeApplyPlan,
  ),
  render: loadedKind(async () => (await import("../rendering/render-in-child.ts")).renderInChild),
} as const;

/** The kinds with what each gets and answers. */
export type WorkKinds = typeof workKinds;
