import type { ShownComponent } from "../../shared/api/components.ts";
import type { ShownPart } from "../../shared/api/named-part-members.ts";
import type { ShownRunbook } from "../../shared/api/runbooks.ts";
import { componentTypeOf } from "../../shared/component-types.ts";
import { problem } from "../../shared/problem.ts";
import { findLatestBuilds } from "../builds/find-latest-builds.ts";
import type { Db } from "../database/connect.ts";
import { showImageUpdates } from "../image-updates/show-image-updates.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { activeSince } from "../status/active-since.ts";
import { type ConfigPart, findParts, type FoundPart } from "./find-parts.ts";
import { findIdsByName, keyOfName } from "./named-ids.ts";
import { listNamedParts, type NamedRow, type WhichNamed } from "./named-part-queries.ts";

/** How one of a kind is told of. */
export const oneOf = { actions: "action", components: "component", runbooks: "runbook" } as const;

/** What an app has by an id; 404 for nothing. */
export async function requireNamed(
  db: Db,
  org: OrgId,
  { kind, app, id }: WhichNamed,
): Promise<NamedRow> {
  const page = { after: undefined, limit: 1, offset: 0 };
  const [row] = await listNamedParts(db, org, { kind, app, filter: { id }, ...page });
  if (row === undefined) throw problem.notFound(oneOf[kind]);
  return row;
}

/** Components with what the active configs of their apps say of them. */
export async function showComponents(
  db: Db,
  org: OrgId,
  rows: readonly NamedRow[],
): Promise<ShownComponent[]> {
  const found = await findParts(db, org, "components", rows.map(wantedOf));
  const apps = [...new Set(rows.map(({ app_id: app }) => app))];
  const names = found.flatMap((one) => one?.needs ?? []);
  const ids = await findIdsByName(db, org, { kind: "components", apps, names });
  const shown = rows.map(({ id }) => id);
  const [builds, updates] = await Promise.all([
    findLatestBuilds(db, org, shown),
    showImageUpdates(db, org, shown),
  ]);
  return rows.map((row, at) => {
    const latest = builds.get(row.id);
    const update = updates.get(row.id);
    return {
      ...toComponent(row, found[at], ids),
      ...(latest && { latest_build: latest }),
      ...(update && { image_update: update }),
    };
  });
}

/** One component of an app; 404 when there is none. */
export async function showComponent(
  db: Db,
  org: OrgId,
  which: { readonly app: string; readonly id: string },
): Promise<ShownComponent> {
  const row = await requireNamed(db, org, { kind: "components", ...which });
  const [shown] = await showComponents(db, org, [row]);
  if (shown === undefined) throw problem.notFound(oneOf.components);
  return shown;
}

/** Runbooks with what the active configs of their apps say of them. */
export async function showRunbooks(
  db: Db,
  org: OrgId,
  rows: readonly NamedRow[],
): Promise<ShownRunbook[]> {
  const found = await findParts(db, org, "runbooks", rows.map(wantedOf));
  return rows.map((row, at) => {
    const part = found[at]?.part;
    return {
      ...toPart(row, part),
      description: row.said.description ?? textIn(part, "description"),
      config_count: row.config_count,
    };
  });
}

/** One runbook of an app; 404 when there is none. */
export async function showRunbook(
  db: Db,
  org: OrgId,
  which: { readonly app: string; readonly id: string },
): Promise<ShownRunbook> {
  const row = await requireNamed(db, org, { kind: "runbooks", ...which });
  const [shown] = await showRunbooks(db, org, [row]);
  if (shown === undefined) throw problem.notFound(oneOf.runbooks);
  return shown;
}

const wantedOf = ({ active_config_id: configId, name }: NamedRow) => ({ configId, name });

function toComponent(
  row: NamedRow,
  found: FoundPart | undefined,
  ids: ReadonlyMap<string, string>,
): ShownComponent {
  const { said } = row;
  const varName = said.var_name ?? textIn(found?.part, "var_name");
  return {
    ...toPart(row, found?.part),
    type: componentTypeOf(found?.part["type"]),
    config_versions: row.config_count,
    var_name: varName,
    resolved_var_name: varName === "" ? row.name : varName,
    dependencies: [
      ...(said.dependencies ??
        (found?.needs ?? []).flatMap((name) => ids.get(keyOfName(row.app_id, name)) ?? [])),
    ],
  };
}

function toPart(row: NamedRow, part: ConfigPart | undefined): ShownPart {
  return {
    id: row.id,
    app_id: row.app_id,
    name: row.name,
    ...activeSince(row.created_at),
    labels: row.labels,
    config_id: row.config_id,
    app_config_id: part === undefined ? null : row.active_config_id,
    config: part ?? null,
    created_at: row.created_at.toISOString(),
    created_by_id: row.created_by_id,
    updated_at: row.updated_at.toISOString(),
  };
}

/** A text of a checked config; empty where it has none. */
function textIn(part: ConfigPart | undefined, member: string): string {
  const value = part?.[member];
  return typeof value === "string" ? value : "";
}
