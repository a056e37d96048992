import { z } from "zod";
import type { OrgId } from "../orgs/org-id.ts";
import { cancelRow } from "../signals/queries.ts";
import { topics } from "../wake/wakes.ts";
import { draftWorkflow, type NewWorkflow } from "../workflows/draft-workflow.ts";
import { findWorkflowsOfSignal } from "../workflows/load-workflow.ts";
import type { MovingBroker } from "../workflows/move-workflow.ts";
import { placeOf } from "./begin-workflow.ts";
import { busyPhases } from "./install-row.ts";
import { findInstall } from "./install-rows.ts";
import type { ShownRow } from "./to-install.ts";

type SignalRow = {
  readonly status: string;
  readonly emitter_id: string | null;
  readonly key_id: string | null;
  readonly contents: Buffer;
};

/** A tick of an emitter of an install, in a phase in which the install runs something by the clock. */
export type Tick = {
  readonly install: ShownRow;
  readonly emitterId: string;
  /** What the signal says. */
  readonly value: unknown;
};

/** What a tick begins, or why it begins nothing. */
export type TickedWorkflow =
  | Pick<NewWorkflow, "type" | "role" | "planOnly" | "params" | "metadata" | "actionRun">
  | { readonly why: string };

const ofInstall = z.looseObject({ install_id: z.string() });

/**
 * Begins the workflow that the signal of an emitter of an install stands for, unless it has begun; the signal is its workflow's place from
 * then on. Answers the workflow. A signal that begins nothing, or whose install rests, is cancelled, and says why.
 */
export async function beginTicked(
  broker: MovingBroker,
  org: OrgId,
  { signalId, decide }: { signalId: string; decide: (tick: Tick) => Promise<TickedWorkflow> },
): Promise<string | undefined> {
  const { db, seals } = broker;
  const signal = await findSignal(broker, org, signalId);
  if (signal?.status !== "in-flight") return undefined;
  const thing = { orgId: org, id: signalId, part: "signal" };
  const opened = seals.open(thing, { keyId: signal.key_id, bytes: signal.contents });
  const value: unknown = JSON.parse(opened.toString());
  const install = await findInstall(db, org, ofInstall.parse(value).install_id);
  if (install === undefined) return await cancel(broker, org, { signalId, why: gone });
  const tick = { install, emitterId: signal.emitter_id ?? "", value };
  const begun = restsIn(install) ?? (await decide(tick));
  if ("why" in begun) return await cancel(broker, org, { signalId, why: begun.why });
  const draft = draftWorkflow(seals, {
    ...placeOf(install, { id: "", orgId: org }), // nobody asked for it
    ...begun,
  });
  const text = JSON.stringify({ ...draft, signal_id: signalId });
  const [row] = await db<{ outcome: string }[]>`
    select begin_ticked_workflow(${org}, ${install.id}, ${text}::text::jsonb) as outcome`;
  if (row?.outcome === "not-found") return await cancel(broker, org, { signalId, why: gone });
  const [id] = await findWorkflowsOfSignal(db, org, signalId);
  return id;
}

const gone = "the install is gone";

/** Its emitters rest then, but somebody may wake one, or a tick be on its way. */
function restsIn({ lifecycle_phase: phase }: ShownRow): { readonly why: string } | undefined {
  return busyPhases.includes(phase) ? undefined : { why: `the install is ${phase}` };
}

async function cancel(
  { db, wakes }: MovingBroker,
  org: OrgId,
  { signalId, why }: { readonly signalId: string; readonly why: string },
): Promise<undefined> {
  const rows = await cancelRow(db, org, signalId, why);
  wakes.notify(rows.flatMap(({ wake }) => (wake === null ? [] : [topics.signals(wake)])));
}

async function findSignal(
  { db }: Pick<MovingBroker, "db">,
  org: OrgId,
  id: string,
): Promise<SignalRow | undefined> {
  const [row] = await db<SignalRow[]>`
    select l.status, s.emitter_id, s.key_id, s.contents
      from queue_signal_live l join queue_signals s on s.org_id = l.org_id and s.id = l.id
     where l.org_id = ${org} and l.id = ${id}`;
  return row;
}
