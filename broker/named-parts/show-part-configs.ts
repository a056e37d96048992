import { componentConfigRecord } from "../../shared/api/component-config-record.ts";
import { listIn } from "../../shared/api/part-record.ts";
import { runbookConfigRecord } from "../../shared/api/runbook-config-record.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findParts } from "./find-parts.ts";
import { listPartConfigs, type PartConfigRow } from "./list-part-configs.ts";
import { findIdsByName, keyOfName } from "./named-ids.ts";
import { requireNamed } from "./show-named-parts.ts";

const wantedOf = ({ app_config_id: configId, name }: PartConfigRow) => ({ configId, name });
const appsOf = (rows: readonly PartConfigRow[]) => [...new Set(rows.map(({ app_id: app }) => app))];

/** Configs of components with their members. */
export async function showComponentConfigs(
  db: Db,
  org: OrgId,
  rows: readonly PartConfigRow[],
): Promise<object[]> {
  const found = await findParts(db, org, "components", rows.map(wantedOf));
  const names = found.flatMap((one) => one?.needs ?? []);
  const ids = await findIdsByName(db, org, { kind: "components", apps: appsOf(rows), names });
  return rows.map((row, at) => {
    const { part, needs = [] } = found[at] ?? {};
    const whole = { ...toConfig(row), component_config_id: row.id };
    return {
      component_id: row.part_id,
      component_name: row.name,
      version: row.nth,
      component_dependency_ids: needs.flatMap((name) => ids.get(keyOfName(row.app_id, name)) ?? []),
      ...toConfig(row),
      ...componentConfigRecord.read({ ...part, id: row.id }, whole),
    };
  });
}

/** A config of a component, that of the active config unless another is named; 404 when there is none. */
export async function showComponentConfig(
  db: Db,
  org: OrgId,
  { app, id, configId }: { readonly app: string; readonly id: string; readonly configId?: string },
): Promise<object> {
  const kind = "components" as const;
  const { config_id: active } = await requireNamed(db, org, { kind, app, id });
  const wanted = configId ?? active;
  const page = { after: undefined, limit: 1, offset: 0 };
  const rows =
    wanted === null ? [] : await listPartConfigs(db, org, { kind, part: id, id: wanted, ...page });
  const [shown] = await showComponentConfigs(db, org, rows);
  if (shown === undefined) throw problem.notFound("component config");
  return shown;
}

/** Configs of runbooks with their members. */
export async function showRunbookConfigs(
  db: Db,
  org: OrgId,
  rows: readonly PartConfigRow[],
): Promise<object[]> {
  const found = await findParts(db, org, "runbooks", rows.map(wantedOf));
  const names = found.flatMap((one) => actionsOf(one?.part));
  const ids = await findIdsByName(db, org, { kind: "actions", apps: appsOf(rows), names });
  return rows.map((row, at) => {
    const part = found[at]?.part;
    const known = actionsOf(part).map((name) => [name, ids.get(keyOfName(row.app_id, name))]);
    const whole = { ...toConfig(row), runbook_config_id: row.id };
    return {
      runbook_id: row.part_id,
      ...toConfig(row),
      ...runbookConfigRecord.read({ ...part, action_ids: Object.fromEntries(known) }, whole),
    };
  });
}

/** The names of the actions that its steps run. */
const actionsOf = (part: Readonly<Record<string, unknown>> = {}): string[] =>
  listIn(part, "steps").flatMap(({ action }) => (typeof action === "string" ? [action] : []));

function toConfig(row: PartConfigRow): object {
  const created_at = row.created_at.toISOString();
  return {
    id: row.id,
    app_id: row.app_id,
    app_config_id: row.app_config_id,
    app_config_version: row.app_config_version,
    created_at,
    created_by_id: row.created_by_id,
    updated_at: created_at,
  };
}
