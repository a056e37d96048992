import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Actor } from "../tokens/actor.ts";
import { findInstallAmong, type OfRunners } from "./find-install-among.ts";

/** What it takes to do something with an install's runner, and with what runs there. */
export const operatorPermission = "installs.operate";

/** Whether an install's runner is the caller's to operate, whichever it is. */
const operatesAll = ({ permissions, runnerId }: Caller): boolean =>
  permissions.has(operatorPermission) || runnerId !== null;

type Caller = Pick<Actor, "bound" | "orgId" | "permissions" | "runnerId">;

/**
 * Refuses with 403 whoever may not operate installs and does something with an install's runner or runner group, or gives somebody
 * a way in there. A bound token is let in where it reaches these, which others check; a runner's token is its own runner's.
 */
export function requireOperator(db: Db, caller: Caller, of: OfRunners): void | Promise<void> {
  if (caller.bound !== null || operatesAll(caller) || isNothing(of)) return;
  return requireNoInstalls(db, caller.orgId, of);
}

const isNothing = (of: OfRunners): boolean => Object.values(of).every((one) => one === undefined);

async function requireNoInstalls(db: Db, org: OrgId, of: OfRunners): Promise<void> {
  const install = await findInstallAmong(db, org, of);
  if (install === undefined) return;
  throw problem.forbidden(
    "permission_missing",
    `This is about the runner of install ${install}, so it needs the permission ${operatorPermission}, which this token lacks.`,
  );
}
