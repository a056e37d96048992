import type { ShownAction } from "../../shared/api/actions.ts";
import type { ActionConfig, WholeActionConfig } from "../../shared/api/app-actions.ts";
import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { nameKey } from "../../shared/app-config/rules/rule.ts";
import { problem } from "../../shared/problem.ts";
import { readDocument } from "../app-configs/show-configs.ts";
import type { Db } from "../database/connect.ts";
import { requireInstall } from "../installs/keep-installs.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { activeSince } from "../status/active-since.ts";
import {
  type ActionConfigRow,
  type ActionRow,
  listActionConfigs,
  listActions,
} from "./app-action-queries.ts";

const whole = { after: undefined, limit: 1000, offset: 0 };

/** What shows actions with what their config says of them. */
export async function prepareActions(
  db: Db,
  org: OrgId,
  rows: readonly ActionRow[],
): Promise<(row: ActionRow) => ShownAction> {
  const ids = [...new Set(rows.flatMap(({ app_config_id: id }) => id ?? []))];
  const configs = new Map(
    await Promise.all(ids.map(async (id) => [id, await readDocument(db, org, id)] as const)),
  );
  return (row) => toAction(row, configs.get(row.app_config_id ?? ""));
}

function toAction(row: ActionRow, config: AppConfigDocument | undefined): ShownAction {
  const part = config?.actions?.find(({ name }) => nameKey(name) === nameKey(row.name));
  return {
    id: row.id,
    app_id: row.app_id,
    name: row.name,
    ...activeSince(row.created_at),
    labels: row.labels,
    config_count: row.config_count,
    config_id: row.config_id,
    app_config_id: row.app_config_id,
    config: part ?? null,
    created_at: row.created_at.toISOString(),
  };
}

/** One action of an app; 404 when there is none. */
export async function showAction(
  db: Db,
  org: OrgId,
  { appId, id }: { readonly appId: string; readonly id: string },
): Promise<ShownAction> {
  const [row] = await listActions(db, org, { ...whole, appId, filter: { id } });
  if (row === undefined) throw problem.notFound("action");
  return (await prepareActions(db, org, [row]))(row);
}

/** What actions an install can run: those of the app's active config, and of its own; `isSynced` asks for those that the first has, or has not. */
export async function showInstallActions(
  db: Db,
  org: OrgId,
  installId: string,
  isSynced?: boolean,
): Promise<ShownAction[]> {
  const install = await requireInstall(db, org, installId);
  const { app_id: appId, applied_config_id: applied } = install;
  const listOf = (configId?: string) => listActions(db, org, { ...whole, appId, configId });
  const [active, own] = await Promise.all([listOf(), applied === null ? [] : listOf(applied)]);
  const byId = new Map<string, ActionRow>();
  for (const row of [...own, ...active]) if (row.config_id !== null) byId.set(row.id, row);
  const current = new Set(active.flatMap(({ id, config_id: of }) => (of === null ? [] : [id])));
  const rows = [...byId.values()]
    .filter(({ id }) => isSynced === undefined || current.has(id) === isSynced)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const show = await prepareActions(db, org, rows);
  return rows.map(show);
}

/** One action that an install can run; 404 for any other. */
export async function showInstallAction(
  db: Db,
  org: OrgId,
  { installId, id }: { readonly installId: string; readonly id: string },
): Promise<ShownAction> {
  const found = (await showInstallActions(db, org, installId)).find((one) => one.id === id);
  if (found === undefined) throw problem.notFound("action");
  return found;
}

/** A config of an action as lists show it. */
export function toActionConfig(row: ActionConfigRow): ActionConfig {
  return {
    id: row.id,
    action_workflow_id: row.action_id,
    app_id: row.app_id,
    app_config_id: row.app_config_id,
    app_config_version: row.version,
    status: row.status,
    created_at: row.created_at.toISOString(),
  };
}

/** The config of this id, of whatever action, or of one of an app's; 404 when there is none. */
export async function showActionConfigById(
  db: Db,
  org: OrgId,
  id: string,
  app?: string,
): Promise<WholeActionConfig> {
  const [row] = await listActionConfigs(db, org, { ...whole, id });
  if (row === undefined || (app ?? row.app_id) !== row.app_id)
    throw problem.notFound("action config");
  const { app_id: appId, action_id } = row;
  return await showActionConfig(db, org, { appId, id: action_id, configId: id });
}

/** A config of an action with its members, that of the app's active config unless another is named; 404 when there is none. */
export async function showActionConfig(
  db: Db,
  org: OrgId,
  {
    appId,
    id,
    configId,
  }: { readonly appId: string; readonly id: string; readonly configId?: string },
): Promise<WholeActionConfig> {
  const action = await showAction(db, org, { appId, id });
  const wanted = configId ?? action.config_id;
  const asked = { ...whole, actionId: id, ...(wanted !== null && { id: wanted }) };
  const [row] = wanted === null ? [] : await listActionConfigs(db, org, asked);
  if (row === undefined) throw problem.notFound("action config");
  return toWholeConfig(row, action, await readDocument(db, org, row.app_config_id));
}

/** The configs of all actions that a config of an app has, by name. */
export async function showActionConfigsOf(
  db: Db,
  org: OrgId,
  { app_id: appId, id: configId }: { readonly app_id: string; readonly id: string },
  document: AppConfigDocument,
): Promise<WholeActionConfig[]> {
  const [rows, actions] = await Promise.all([
    listActionConfigs(db, org, { ...whole, configId }),
    listActions(db, org, { ...whole, appId, configId }),
  ]);
  const byAction = new Map(rows.map((row) => [row.action_id, row]));
  return actions
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((action) => {
      const row = byAction.get(action.id);
      return row === undefined ? [] : [toWholeConfig(row, action, document)];
    });
}

function toWholeConfig(
  row: ActionConfigRow,
  { name }: { readonly name: string },
  document: AppConfigDocument | undefined,
): WholeActionConfig {
  const part = document?.actions?.find((one) => nameKey(one.name) === nameKey(name));
  const isWanted = part?.enable_kube_config;
  return {
    ...part,
    ...(isWanted !== undefined && { enable_kube_config: { bool: isWanted, valid: true } }),
    ...toActionConfig(row),
    kubernetes_context_name: part?.kubernetes_context ?? "",
  };
}
