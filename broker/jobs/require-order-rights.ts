import { problem } from "../../shared/problem.ts";
import { type RunnerJobType, runnerJobType } from "../../shared/runner-job-types.ts";
import type { Actor } from "../tokens/actor.ts";

const needed = "runners.operate";

/** Refuses with 403 a caller that enqueues a management job without the permission to operate runners. */
export function requireOrderRights(
  { permissions }: Pick<Actor, "permissions">,
  types: readonly RunnerJobType[],
): void {
  const order = types.find((type) => runnerJobType(type).ordersRunner === true);
  if (order === undefined || permissions.has(needed)) return;
  throw problem.forbidden(
    "permission_missing",
    `Jobs of type ${order} manage the runner itself. This token lacks the permission ${needed}.`,
  );
}
