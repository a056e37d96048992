import type { RunnerJobType } from "../runner-job-types.ts";
import { textAt, workspacePlaces } from "./plan-places.ts";

/** What a plan lets its job do with state: the workspaces that it names, and whether it only simulates. */
export type PlanWorkspaces = {
  readonly ids: readonly string[];
  /** Those of them that Pulumi keeps its state in. */
  readonly pulumiIds: readonly string[];
  readonly isSandbox: boolean;
};

/** The workspaces that a plan of any kind names; none for what is no such plan. */
export function planWorkspaces(plan: object | null, type: RunnerJobType): PlanWorkspaces {
  const own = type === "sandbox-pulumi" ? "pulumi" : "terraform"; // that plan is the sandbox's own
  const named = workspacePlaces.flatMap(({ path, of }) => {
    const id = textAt(plan, path);
    return id === undefined ? [] : [{ id, of: of === "own" ? own : of }];
  });
  return {
    ids: named.map(({ id }) => id),
    pulumiIds: named.filter(({ of }) => of === "pulumi").map(({ id }) => id),
    isSandbox: isSandbox(plan),
  };
}

function isSandbox(plan: unknown): boolean {
  const { sandbox_mode: mode } = (plan ?? {}) as { sandbox_mode?: { enabled?: unknown } | null }; // read with care
  return mode?.enabled === true;
}
