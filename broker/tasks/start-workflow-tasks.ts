import { z } from "zod";
import { lookTask } from "../../shared/look-task.ts";
import { Problem } from "../../shared/problem.ts";
import { formerWorkflowTasks, workflowTask } from "../../shared/workflow-task.ts";
import { runTickedAction } from "../actions/run-ticked-action.ts";
import type { Broker } from "../broker.ts";
import { buildSyncedConfig } from "../builds/build-synced-config.ts";
import { runTickedDrift } from "../deploys/run-ticked-drift.ts";
import { keepImageEmitter } from "../image-updates/keep-image-emitter.ts";
import { lookAtImages } from "../image-updates/look-at-images.ts";
import { settleImageLook } from "../image-updates/settle-image-look.ts";
import { keepEmitters } from "../installs/keep-emitters.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { isRefusedForOthers } from "../work-pool/work-problems.ts";
import { advanceLater } from "../workflows/advance-later.ts";
import { countFault } from "../workflows/count-fault.ts";
import { foundWhenNeeded } from "../workflows/decision-needs.ts";
import { findWorkflowsOfSignal } from "../workflows/load-workflow.ts";
import { advanceWorkflow } from "../workflows/machine/advance-workflow.ts";
import { moveWorkflow } from "../workflows/move-workflow.ts";
import { type RunningTasks, runWorker } from "./run-worker.ts";

/** A look at a workflow is two statements. */
const atOnce = 4;

const payloadSchema = z.union([
  z.object({ org_id: z.string(), workflow_id: z.string() }),
  z.object({ org_id: z.string(), signal_id: z.string(), type: z.string() }), // its place in a lane has its turn
]);
const ofConfig = z.object({ org_id: z.string(), app_id: z.string(), app_config_id: z.string() });
const ofApp = z.object({ org_id: z.string(), app_id: z.string() });
const ofTick = z.object({ org_id: z.string(), signal_id: z.string() });
const ofLook = z.object({ org_id: z.string(), component_id: z.string(), job_id: z.string() });
const ofInstall = z.object({ org_id: z.string(), install_id: z.string() });

/** Advances workflows, keeps the emitters of installs and apps, and has images looked at, by a worker of its own: neither housekeeping nor signals hold them up. */
export async function startWorkflowTasks(broker: Broker): Promise<RunningTasks> {
  const stopped = new AbortController();
  const advanceOne = async (payload: unknown): Promise<void> => {
    const asked = payloadSchema.parse(payload);
    const org = asked.org_id as OrgId; // from a statement of ours
    const ids =
      "workflow_id" in asked ? [asked.workflow_id] : await workflowsOf(broker, org, asked);
    for (const id of ids) await advance(broker, org, id);
  };
  const tasks = {
    ...Object.fromEntries([workflowTask, ...formerWorkflowTasks].map((name) => [name, advanceOne])),
    "build-synced-config": async (payload: unknown): Promise<void> => {
      const { org_id, app_id: app, app_config_id: configId } = ofConfig.parse(payload);
      await buildSyncedConfig(broker.db, org_id as OrgId, { app, configId }); // from a statement of ours
    },
    "keep-image-emitter": async (payload: unknown): Promise<void> => {
      const { org_id, app_id } = ofApp.parse(payload);
      await keepImageEmitter(broker, org_id as OrgId, app_id); // from a statement of ours
    },
    [lookTask]: async (payload: unknown): Promise<void> => {
      const { org_id, signal_id } = ofTick.parse(payload);
      await lookAtImages(broker, org_id as OrgId, signal_id); // from a statement of ours
    },
    "settle-image-look": async (payload: unknown): Promise<void> => {
      const { org_id, component_id: componentId, job_id: jobId } = ofLook.parse(payload);
      await settleImageLook(broker, org_id as OrgId, { componentId, jobId }); // from a statement of ours
    },
    "keep-emitters": async (payload: unknown): Promise<void> => {
      const { org_id, install_id } = ofInstall.parse(payload);
      await keepEmitters(broker, org_id as OrgId, install_id); // from a statement of ours
    },
  };
  const options = { concurrency: atOnce, taskList: tasks, parsedCronItems: [] };
  return await runWorker(broker, { name: "workflow tasks", stopped, options });
}

/** What begins by the signals of installs' emitters, by their types. */
const ticks: Readonly<Record<string, typeof runTickedAction>> = {
  "action-run": runTickedAction,
  "drift-run": runTickedDrift,
  "drift-run-sandbox": runTickedDrift,
};

/** The workflows that have their place by this signal; that of a tick is begun by its turn. */
async function workflowsOf(
  broker: Broker,
  org: OrgId,
  { signal_id: signalId, type }: { readonly signal_id: string; readonly type: string },
): Promise<readonly string[]> {
  const ids = await findWorkflowsOfSignal(broker.db, org, signalId);
  const run = Object.hasOwn(ticks, type) ? ticks[type] : undefined;
  if (ids.length > 0 || run === undefined) return ids;
  const id = await run(broker, org, signalId);
  return id === undefined ? [] : [id];
}

async function advance(broker: Broker, org: OrgId, id: string): Promise<void> {
  try {
    await moveWorkflow(broker, org, {
      id,
      decide: ({ draft, machine }) => advanceWorkflow(draft, machine),
      needs: foundWhenNeeded(broker, org),
    });
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return; // its install is gone
    if (isRefusedForOthers(error)) return await advanceLater(broker.db, org, id); // what it needs is rendered then
    await countFault(broker.db, org, id);
    throw error; // graphile-worker logs it and tries again
  }
}
