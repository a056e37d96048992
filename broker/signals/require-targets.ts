import { planNames } from "../../shared/plans/plan-names.ts";
import { signalType } from "../../shared/signal-types.ts";
import type { Db } from "../database/connect.ts";
import { requireInstallRights, requireInstallRunner } from "../jobs/require-install-rights.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { requireAct } from "../queues/require-act.ts";
import type { Actor } from "../tokens/actor.ts";
import { findFiler } from "../tokens/find-filer.ts";

/** What a signal does when it is executed, and where a callback files it. */
export type Acting = {
  readonly type: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly into?: string | undefined;
};
type Filer = Pick<Actor, "bound" | "orgId" | "permissions">;

/** Whether it reaches another queue, an emitter or a runner. */
export function actsElsewhere({ type, value, into }: Acting): boolean {
  const row = signalType(type);
  return (
    into !== undefined ||
    (row?.actsOn?.(value) ?? []).length > 0 ||
    row?.runnerOf?.(value) !== undefined
  );
}

/** Refuses with 403 what its filer may not do by hand to the queues, emitters and runners that it acts on. */
export async function requireTargets(
  db: Db,
  filer: Filer,
  { type, value, into }: Acting,
): Promise<void> {
  const row = signalType(type);
  const filed = into === undefined ? [] : [{ act: "enqueue", on: { queue_id: into } } as const];
  for (const target of [...(row?.actsOn?.(value) ?? []), ...filed]) {
    await requireAct(db, filer, target);
  }
  const runnerId = row?.runnerOf?.(value);
  if (runnerId === undefined) return;
  const plan = value["plan"];
  if (plan === undefined) await requireInstallRunner(db, filer, runnerId);
  else await requireInstallRights(db, filer, { runnerId, names: planNames(plan) });
}

/** The same when it is executed: what its filer may do by then counts, and whose the things are by then. */
export async function requireTargetsStill(
  db: Db,
  { orgId, actorId }: { readonly orgId: OrgId; readonly actorId: string },
  acting: Acting,
): Promise<void> {
  if (actsElsewhere(acting)) await requireTargets(db, await findFiler(db, orgId, actorId), acting);
}
