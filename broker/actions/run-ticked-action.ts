import { z } from "zod";
import { readDocument } from "../app-configs/show-configs.ts";
import { newId } from "../database/new-id.ts";
import { beginTicked, type Tick, type TickedWorkflow } from "../installs/begin-ticked.ts";
import { cronTriggersOf } from "../installs/cron-triggers.ts";
import type { ShownRow } from "../installs/to-install.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { MovingBroker } from "../workflows/move-workflow.ts";
import { actionTimeoutNs, type ActionConfigPart } from "./action-plan.ts";
import { listActions } from "./app-action-queries.ts";

type Found = {
  readonly action: ActionConfigPart;
  readonly actionId: string;
  readonly configId: string;
  readonly appConfigId: string;
};

const templateSchema = z.object({ action_name: z.string() });

/**
 * Begins the run that the signal of a cron trigger stands for, unless it has begun; the signal is its workflow's place from then on.
 * Answers the workflow. A signal whose action is gone, or whose install rests, is cancelled, and says why.
 */
export async function runTickedAction(
  broker: MovingBroker,
  org: OrgId,
  signalId: string,
): Promise<string | undefined> {
  const decide = async (tick: Tick): Promise<TickedWorkflow> => {
    const { action_name: name } = templateSchema.parse(tick.value);
    const found = await findTriggered(broker, tick.install, name);
    if (found !== undefined) return runOf(tick, found);
    return { why: `the install no longer has a cron trigger for the action ${name}` };
  };
  return await beginTicked(broker, org, { signalId, decide });
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

function runOf(
  { install, emitterId }: Tick,
  { action, actionId, configId, appConfigId }: Found,
): TickedWorkflow {
  const id = newId("awr");
  const role = action.role ?? "";
  return {
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
      triggered_by_id: emitterId,
      role,
      timeout: actionTimeoutNs(action),
    },
  };
}
