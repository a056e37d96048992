import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { Actor } from "../tokens/actor.ts";
import { requireOwnPlans } from "../tokens/bound/require-within.ts";
import { findInstallOf } from "./queries.ts";

const needed = "installs.operate";

export type ByHand = {
  readonly runnerId: string;
  /** The ids that the plans name. */
  readonly names: readonly string[];
};

/**
 * Refuses with 403 a caller that enqueues jobs by hand for an install's runner without the permission to operate installs,
 * and a bound token whose plans name what it does not reach.
 */
export async function requireInstallRights(
  db: Db,
  actor: Pick<Actor, "bound" | "orgId" | "permissions">,
  { runnerId, names }: ByHand,
): Promise<void> {
  const { bound, orgId, permissions } = actor;
  await requireOwnPlans(db, orgId, { bound, names });
  if (permissions.has(needed)) return;
  const install = await findInstallOf(db, orgId, runnerId);
  if (install === undefined) return;
  throw problem.forbidden(
    "permission_missing",
    `This runner is of install ${install}. Enqueueing jobs for it by hand needs the permission ${needed}, which this token lacks.`,
  );
}
