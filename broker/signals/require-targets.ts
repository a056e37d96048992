import { planNames } from "../../shared/plans/plan-names.ts";
import { problem } from "../../shared/problem.ts";
import { queueActs } from "../../shared/queue-acts.ts";
import { signalType } from "../../shared/signal-types.ts";
import type { Broker } from "../broker.ts";
import { findEmitter } from "../emitters/queries.ts";
import type { EmitterWithTemplate } from "../emitters/row.ts";
import { readTemplate } from "../emitters/sealed-template.ts";
import { requireInstallRights, requireInstallRunner } from "../jobs/require-install-rights.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { requireAct } from "../queues/require-act.ts";
import type { Actor } from "../tokens/actor.ts";
import { outside } from "../tokens/bound/require-within.ts";
import { findFiler } from "../tokens/find-filer.ts";

/** What a signal does when it is executed, and where a callback files it. */
export type Acting = {
  readonly type: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly into?: string | undefined;
};
/** Who files signals, or has those that are there act. */
export type Filer = Pick<Actor, "bound" | "orgId" | "permissions">;
type Parts = Pick<Broker, "db" | "seals">;

/** Emitters whose signals start others: so many in a row are looked at. */
const mostInARow = 10;

/** Whether it reaches another queue, an emitter or a runner. */
export function actsElsewhere({ type, value, into }: Acting): boolean {
  const row = signalType(type);
  return (
    into !== undefined ||
    (row?.actsOn?.(value) ?? []).length > 0 ||
    row?.runnerOf?.(value) !== undefined
  );
}

/** Refuses with 403 whoever lacks a permission that the type of a signal asks, whatever it acts on. */
export function requireTypes({ permissions }: Filer, { type, value }: Acting): void {
  const row = signalType(type);
  const needs = [
    ...(row?.permissions?.(value) ?? []),
    ...(row?.actsOn?.(value) ?? []).map(({ act }) => queueActs[act].permission),
  ];
  const lacking = needs.find((needed) => !permissions.has(needed));
  if (lacking === undefined) return;
  throw problem.forbidden(
    "permission_missing",
    `Signals of type ${type} act on behalf of whoever enqueues or redrives them. This token lacks the permission ${lacking}.`,
  );
}

/** Refuses with 403 what its filer may not do by hand to the queues, emitters and runners that it acts on. */
export async function requireTargets(
  parts: Parts,
  filer: Filer,
  { type, value, into }: Acting,
  emitters: readonly string[] = [],
): Promise<void> {
  const { db } = parts;
  const row = signalType(type);
  const filed = into === undefined ? [] : [{ act: "enqueue", on: { queue_id: into } } as const];
  for (const target of [...(row?.actsOn?.(value) ?? []), ...filed]) {
    await requireAct(db, filer, target);
    if (target.act !== "resume-emitter" || !("emitter_id" in target.on)) continue;
    await requireStart(parts, filer, [...emitters, target.on.emitter_id]);
  }
  const runnerId = row?.runnerOf?.(value);
  if (runnerId === undefined) return;
  const plan = value["plan"];
  if (plan === undefined) await requireInstallRunner(db, filer, runnerId);
  else await requireInstallRights(db, filer, { runnerId, names: planNames(plan) });
}

/** The same when it is executed: what its filer may do by then counts, and whose the things are by then. */
export async function requireTargetsStill(
  parts: Parts,
  { orgId, actorId }: { readonly orgId: OrgId; readonly actorId: string },
  acting: Acting,
): Promise<void> {
  if (!actsElsewhere(acting)) return;
  await requireTargets(parts, await findFiler(parts.db, orgId, actorId), acting);
}

/**
 * Who fires an emitter, changes when and how often it emits or ends its pause decides when its signals are filed: who may not do
 * what they do may not have them do it. A signal that starts an emitter asks the same.
 */
export async function requireFiler(
  parts: Parts,
  filer: Filer,
  row: EmitterWithTemplate,
  emitters: readonly string[] = [row.id],
): Promise<void> {
  if (signalType(row.signal_type)?.isInternal === true) return; // its lane was asked
  if (filer.bound !== null) throw outside("this emitter was made by hand");
  const acting = { type: row.signal_type, value: readTemplate(parts.seals, row) };
  requireTypes(filer, acting);
  await requireTargets(parts, filer, acting, emitters);
}

/** The last of these emitters is to be started by a signal of the one before it. */
async function requireStart(
  parts: Parts,
  filer: Filer,
  emitters: readonly string[],
): Promise<void> {
  const id = emitters.at(-1) ?? "";
  if (emitters.indexOf(id) < emitters.length - 1) return; // it was asked already
  if (emitters.length > mostInARow) {
    throw problem.conflict(
      "too_many_emitters",
      `Emitters whose signals start one another may be at most ${mostInARow} in a row: ${emitters.join(", ")}.`,
    );
  }
  const row = await findEmitter(parts.db, filer.orgId, id);
  if (row !== undefined) await requireFiler(parts, filer, row, emitters);
}
