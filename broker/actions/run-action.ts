import { problem } from "../../shared/problem.ts";
import { readDocument } from "../app-configs/show-configs.ts";
import type { Db } from "../database/connect.ts";
import { keyedId } from "../database/keyed-id.ts";
import { beginWorkflow } from "../installs/begin-workflow.ts";
import { requireInstall } from "../installs/keep-installs.ts";
import { findOrg } from "../orgs/queries.ts";
import type { Seals } from "../seals/seals.ts";
import type { Actor } from "../tokens/actor.ts";
import { type ActionConfigPart, actionTimeoutNs } from "./action-plan.ts";
import { showInstallActions } from "./show-app-actions.ts";

type Parts = { readonly db: Db; readonly seals: Seals };
type Who = Pick<Actor, "id" | "orgId" | "requestSeed">;
export type BegunRun = { readonly id: string; readonly workflow_id: string };

type ManualRun = {
  readonly installId: string;
  readonly configId: string | undefined;
  readonly name: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly role: string;
};

/** Begins a run of an action that the app's active config has, or the install's own; 422 for any other. */
export async function runAction(parts: Parts, actor: Who, run: ManualRun): Promise<BegunRun> {
  const { db } = parts;
  const { installId, configId, name } = run;
  const actions = await showInstallActions(db, actor.orgId, installId);
  const found = actions.find((one) =>
    configId === undefined ? one.name === name : one.config_id === configId,
  );
  if (found === undefined || found.app_config_id === null)
    throw unknownAction(
      run,
      actions.map((one) => one.name),
    );
  const config = await readDocument(db, actor.orgId, found.app_config_id);
  const action = config?.actions?.find((one) => one.name === found.name);
  if (action === undefined) throw unknownAction(run, []);
  const id = keyedId("awr", actor.requestSeed, installId);
  const workflowId = await beginWorkflow(parts, actor, {
    installId,
    workflow: {
      type: "action_workflow_run",
      role: run.role,
      params: {
        app_config_id: found.app_config_id,
        action_name: found.name,
        action_id: found.id,
        run_id: id,
        trigger: "manual",
      },
      metadata: { action_name: found.name, run_id: id },
      given: { env: run.env },
      actionRun: {
        id,
        install_id: installId,
        action_id: found.id,
        action_config_id: found.config_id,
        name: found.name,
        trigger_type: "manual",
        triggered_by_id: actor.id,
        role: run.role || (action.role ?? ""),
        timeout: actionTimeoutNs(action),
      },
    },
  });
  return { id, workflow_id: workflowId };
}

function unknownAction({ configId, name }: ManualRun, known: readonly string[]): Error {
  const list = known.length === 0 ? "It has none." : `It has ${known.join(", ")}.`;
  const [pointer, detail] =
    configId === undefined
      ? (["#/name", `The install can run no action ${name ?? ""}. ${list}`] as const)
      : ([
          "#/action_workflow_config_id",
          `The install can run no action of this config. ${list}`,
        ] as const);
  return problem.invalid([{ pointer, code: "unknown_action", detail }]);
}

type AdhocRun = {
  readonly installId: string;
  readonly name: string;
  readonly command: string | undefined;
  readonly contents: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutNs: number | undefined;
  readonly role: string;
  readonly wantsApproval: boolean;
  /** It gets a kubeconfig of the install's cluster. */
  readonly wantsCluster: boolean;
};

/** Begins a run of a command, or a script, that no config has; it is approved first where it is asked, or where nobody may approve their own. */
export async function runAdhoc(parts: Parts, actor: Who, run: AdhocRun): Promise<BegunRun> {
  const { installId, name, command, contents, timeoutNs: timeout } = run;
  await requireInstall(parts.db, actor.orgId, installId);
  const org = await findOrg(parts.db, actor.orgId);
  const approval = run.wantsApproval || org?.prevent_self_approval === true;
  const adhoc: ActionConfigPart = {
    name,
    timeout,
    approval,
    ...(run.wantsCluster && { enable_kube_config: true }),
    steps: [{ name, command, inline_contents: contents }],
  };
  const id = keyedId("awr", actor.requestSeed, installId);
  const workflowId = await beginWorkflow(parts, actor, {
    installId,
    workflow: {
      type: "action_workflow_run",
      role: run.role,
      params: { action_name: name, run_id: id, trigger: "adhoc", approval },
      metadata: { action_name: name, run_id: id },
      given: { env: run.env, adhoc },
      actionRun: {
        id,
        install_id: installId,
        name,
        trigger_type: "adhoc",
        triggered_by_id: actor.id,
        role: run.role,
        timeout: actionTimeoutNs(adhoc),
      },
    },
  });
  return { id, workflow_id: workflowId };
}
