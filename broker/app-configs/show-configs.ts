import type { AppConfigVersion, WholeAppConfigVersion } from "../../shared/api/app-configs.ts";
import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { type ConfigGraph, graphOfDocument } from "../../shared/app-config/config-graph.ts";
import { type ConfigChange, diffConfigs } from "../../shared/app-config/diff-configs.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { toCompositeStatus } from "../status/composite-status.ts";
import { findNamedIds, type NamedKind } from "./named-part-queries.ts";
import { findConfig, findDocument, findLatestConfig } from "./queries.ts";
import type { AppConfigRow } from "./row.ts";

export type ConfigId = { readonly app: string; readonly id: string };

/** A config without its document. */
export function toConfig(row: AppConfigRow): AppConfigVersion {
  return {
    id: row.id,
    app_id: row.app_id,
    org_id: row.org_id,
    version: row.version,
    status: row.status,
    status_description: row.status_description,
    status_v2: toCompositeStatus({
      status: row.status,
      description: row.status_description,
      at: row.status_at,
    }),
    checksum: row.checksum,
    cli_version: row.cli_version,
    plan_only: row.plan_only,
    created_at: row.created_at.toISOString(),
    created_by_id: row.created_by_id,
  };
}

/** One config; 404 when there is none. With its document if it is asked for. */
export async function showConfig(
  db: Db,
  org: OrgId,
  which: { readonly app: string; readonly id: string | undefined },
  isWhole: boolean,
): Promise<WholeAppConfigVersion> {
  const { app, id } = which;
  const row = await (id === undefined
    ? findLatestConfig(db, org, app)
    : findConfig(db, org, { app, id }));
  if (row === undefined) throw problem.notFound("app config");
  const errors = row.errors as WholeAppConfigVersion["errors"] | null; // as they were stored
  const document = row.checksum === "" ? undefined : await requireDocument(db, org, row.id);
  const { status_v2: status, ...config } = toConfig(row);
  return {
    ...config,
    status_v2: { ...status, metadata: errors === null ? {} : { errors } },
    ...(await contentsOf(db, org, { app, document })),
    ...(errors !== null && { errors }),
    ...(isWhole && document !== undefined && { document }),
  };
}

type Contents = Pick<
  WholeAppConfigVersion,
  "readme" | "action_ids" | "component_ids" | "runbook_ids"
>;

async function contentsOf(
  db: Db,
  org: OrgId,
  { app, document }: { readonly app: string; readonly document: AppConfigDocument | undefined },
): Promise<Contents> {
  const idsOf = (kind: NamedKind) => {
    const names = (document?.[kind] ?? []).map(({ name }) => name);
    return findNamedIds(db, org, { kind, app, names });
  };
  const [action_ids, component_ids, runbook_ids] = await Promise.all([
    idsOf("actions"),
    idsOf("components"),
    idsOf("runbooks"),
  ]);
  const readme = document?.metadata.readme ?? "";
  return { readme, action_ids, component_ids, runbook_ids };
}

/** What a config has otherwise than another one of the app: the named one, else the one that was active before it. */
export async function showChanges(
  db: Db,
  org: OrgId,
  { app, id }: ConfigId,
  oldId?: string,
): Promise<ConfigChange[]> {
  const row = await requireConfig(db, org, { app, id });
  if (oldId !== undefined) await requireConfig(db, org, { app, id: oldId });
  const before = oldId ?? row.previous_id;
  const old = before === null ? undefined : await requireDocument(db, org, before);
  return diffConfigs(old, await requireDocument(db, org, id));
}

/** What of a config needs what. */
export async function showGraph(db: Db, org: OrgId, which: ConfigId): Promise<ConfigGraph> {
  await requireConfig(db, org, which);
  return graphOfDocument(await requireDocument(db, org, which.id));
}

/** The config that is active, if one is. */
export async function readDocument(
  db: Db,
  org: OrgId,
  id: string | null,
): Promise<AppConfigDocument | undefined> {
  return id === null ? undefined : await requireDocument(db, org, id);
}

async function requireConfig(db: Db, org: OrgId, which: ConfigId): Promise<AppConfigRow> {
  const row = await findConfig(db, org, which);
  if (row === undefined) throw problem.notFound("app config");
  return row;
}

async function requireDocument(db: Db, org: OrgId, id: string): Promise<AppConfigDocument> {
  return JSON.parse(await requireText(db, org, id)) as AppConfigDocument; // stored as it was checked
}

/** The canonical JSON of a config; 409 while it is not whole. */
export async function requireText(db: Db, org: OrgId, id: string): Promise<string> {
  const text = await findDocument(db, org, id);
  if (text === undefined)
    throw problem.conflict(
      "config_not_whole",
      "This config is not whole: there is nothing to read of it.",
    );
  return text;
}
