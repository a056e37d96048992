import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { requireOwnState } from "../plan-scope/require-own-state.ts";
import { findInstallAmong } from "../runners/find-install-among.ts";
import { operatorPermission } from "../runners/require-operator.ts";
import type { Actor } from "../tokens/actor.ts";
import { requireOwnPlans } from "../tokens/bound/require-within.ts";

export type ByHand = {
  readonly runnerId: string;
  /** The ids that the plans name. */
  readonly names: readonly string[];
};

/**
 * Refuses with 403 a caller that enqueues jobs by hand for an install's runner without the permission to operate installs, a bound token
 * whose plans name what it does not reach, and anybody whose plans name what belongs to an install on another runner than its own.
 */
export async function requireInstallRights(
  db: Db,
  actor: Pick<Actor, "bound" | "orgId" | "permissions">,
  { runnerId, names }: ByHand,
): Promise<void> {
  const { bound, orgId } = actor;
  await requireOwnPlans(db, orgId, { bound, names });
  await requireInstallRunner(db, actor, runnerId);
  await requireOwnState(db, orgId, { runnerId, names });
}

/** Refuses with 403 a caller that makes or ends jobs of an install's runner without the permission to operate installs. */
export async function requireInstallRunner(
  db: Db,
  { orgId, permissions }: Pick<Actor, "orgId" | "permissions">,
  runnerId: string,
): Promise<void> {
  if (permissions.has(operatorPermission)) return;
  const install = await findInstallAmong(db, orgId, { runner_id: runnerId });
  if (install === undefined) return;
  throw problem.forbidden(
    "permission_missing",
    `This runner is of install ${install}. Enqueueing jobs for it by hand, and ending those that wait, needs the permission ${operatorPermission}, which this token lacks.`,
  );
}
