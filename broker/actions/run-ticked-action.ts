import { z } from "zod";
import { readDocument } from "../app-configs/show-configs.ts";
import { newId } from "../database/new-id.ts";
import { placeOf } from "../installs/begin-workflow.ts";
import { cronTriggersOf } from "../installs/cron-triggers.ts";
import { busyPhases } from "../installs/install-row.ts";
import { findInstall } from "../installs/install-rows.ts";
import type { ShownRow } from "../installs/to-install.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { cancelRow } from "../signals/queries.ts";
import { topics } from "../wake/wakes.ts";
import { draftWorkflow } from "../workflows/draft-workflow.ts";
import { findWorkflowsOfSignal } from "../workflows/load-workflow.ts";
import type { MovingBroker } from "../workflows/move-workflow.ts";
import { actionTimeoutNs, type ActionConfigPart } from "./action-plan.ts";
import { listActions } from "./app-action-queries.ts";

type SignalRow = {
  readonly status: string;
  readonly emitter_id: string | null;
  readonly key_id: string | null;
  readonly contents: Buffer;
};
type Tick = { readonly signalId: string; readonly emitterId: string };
type Found = {
  readonly action: ActionConfigPart;
  readonly actionId: string;
  readonly configId: string;
  readonly appConfigId: string;
};

const templateSchema = z.object({ install_id: z.string(), action_name: z.string() });

/**
 * Begins the run that the signal of a cron trigger stands for, unless it has begun; the signal is its workflow's place from then on.
 * Answers the workflow. A signal whose action is gone, or whose install rests, is cancelled, and says why.
 */
export async function runTickedAction(
  broker: MovingBroker,
  org: OrgId,
  signalId: string,
): Promise<string | undefined> {
  const signal = await findSignal(broker, org, signalId);
  if (signal?.status !== "in-flight") return undefined;
  const opened = broker.seals.open(
    { orgId: org, id: signalId, part: "signal" },
    { keyId: signal.key_id, bytes: signal.contents },
  );
  const { install_id: installId, action_name: name } = templateSchema.parse(
    JSON.parse(opened.toString()),
  );
  const install = await findInstall(broker.db, org, installId);
  const rests = restsFor(install);
  const found = rests === undefined && install && (await findTriggered(broker, install, name));
  const tick = { signalId, emitterId: signal.emitter_id ?? "" };
  const outcome = install && found ? await begin(broker, { install, found, tick }) : "not-found";
  if (outcome === "not-found") {
    const why = rests ?? `the install no longer has a cron trigger for the action ${name}`;
    const rows = await cancelRow(broker.db, org, signalId, why);
    broker.wakes.notify(rows.flatMap(({ wake }) => (wake === null ? [] : [topics.signals(wake)])));
    return undefined;
  }
  const [id] = await findWorkflowsOfSignal(broker.db, org, signalId);
  return id;
}

/** Why the install runs nothing by the clock now. Its emitters rest then, but somebody may wake one, or a tick be on its way. */
const restsFor = (install: ShownRow | undefined): string | undefined =>
  install === undefined || busyPhases.includes(install.lifecycle_phase)
    ? undefined
    : `the install is ${install.lifecycle_phase}`;

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

/** The action as the config of the install has it, if that still begins it by the clock. */
async function findTriggered(
  { db }: Pick<MovingBroker, "db">,
  { org_id, app_id: appId, applied_config_id: configId }: ShownRow,
  name: string,
): Promise<Found | undefined> {
  const org = org_id as OrgId; // of a row
  const config = await readDocument(db, org, configId);
  const action = config?.actions?.find((one) => one.name === name);
  if (configId === null || action === undefined) return undefined;
  if (cronTriggersOf({ actions: [action] }).length === 0) return undefined;
  const whole = { after: undefined, limit: 1000, offset: 0 };
  const rows = await listActions(db, org, { ...whole, appId, configId });
  const row = rows.find((one) => one.name === name);
  if (row?.config_id == null) return undefined;
  return { action, actionId: row.id, configId: row.config_id, appConfigId: configId };
}

async function begin(
  { db, seals }: MovingBroker,
  {
    install,
    found,
    tick,
  }: { readonly install: ShownRow; readonly found: Found; readonly tick: Tick },
): Promise<string> {
  const { action, actionId, configId, appConfigId } = found;
  const id = newId("awr");
  const org = install.org_id as OrgId; // of a row
  const role = action.role ?? "";
  const draft = draftWorkflow(seals, {
    ...placeOf(install, { id: "", orgId: org }), // nobody asked for it
    type: "action_workflow_run",
    role,
    params: {
      app_config_id: appConfigId,
      action_name: action.name,
      action_id: actionId,
      run_id: id,
      trigger: "cron",
    },
    metadata: { action_name: action.name, run_id: id },
    actionRun: {
      id,
      install_id: install.id,
      action_id: actionId,
      action_config_id: configId,
      name: action.name,
      trigger_type: "cron",
      triggered_by_id: tick.emitterId,
      role,
      timeout: actionTimeoutNs(action),
    },
  });
  const text = JSON.stringify({ ...draft, signal_id: tick.signalId });
  const [row] = await db<{ outcome: string }[]>`
    select begin_ticked_workflow(${org}, ${install.id}, ${text}::text::jsonb) as outcome`;
  return row?.outcome ?? "lost";
}
