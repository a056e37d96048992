import { setImmediate as nextTurn } from "node:timers/promises";
import type { AppConfigVersion, WholeAppConfigVersion } from "../../shared/api/app-configs.ts";
import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { jsonPieces } from "../json-pieces.ts";
import { findIdsByName } from "../named-parts/named-ids.ts";
import type { NamedKind } from "../named-parts/named-part-queries.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { toCompositeStatus } from "../status/composite-status.ts";
import { findConfig, findDocument, findLatestConfig, findNames, findRemarks } from "./queries.ts";
import type { AppConfigRow } from "./row.ts";
import { storedDocument } from "./stored-document.ts";

/** So much of a whole config is written before others have their turn. */
const turnLetters = 256 * 1024;

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

/** What a whole config has besides its document. */
type ShowParts = (db: Db, org: OrgId, row: AppConfigRow) => Promise<object>;

/** One config as pieces of JSON; 404 when there is none. With its document and its parts if they are asked for. */
export async function showConfig(
  db: Db,
  org: OrgId,
  which: { readonly app: string; readonly id: string | undefined },
  showParts?: ShowParts,
): Promise<readonly string[]> {
  const { app, id } = which;
  const row = await (id === undefined
    ? findLatestConfig(db, org, app)
    : findConfig(db, org, { app, id }));
  if (row === undefined) throw problem.notFound("app config");
  const errors = row.errors as WholeAppConfigVersion["errors"] | null; // as they were stored
  const [names, { remarks, state }] = [
    await findNames(db, org, row.id),
    await findRemarks(db, org, row.id),
  ];
  const config = await showChecked(db, row, names ?? noNames);
  const shown = {
    ...config,
    readme: names?.readme ?? "",
    state,
    ...(errors !== null && { errors, status_v2: { ...config.status_v2, metadata: { errors } } }),
  };
  const document = showParts && (await findDocument(db, org, row.id));
  const pieces = [JSON.stringify(shown).slice(0, -1), `,${remarks.trim().slice(1, -1)}`];
  if (showParts === undefined || document === undefined) return [...pieces, "}"];
  pieces.push(',"document":', document);
  let letters = 0;
  for (const piece of jsonPieces(await showParts(db, org, row))) {
    if (letters > 0) pieces.push(piece);
    else pieces.push(piece === "{}" ? "}" : `,${piece.slice(1)}`); // its members stand beside the others
    letters += piece.length;
    if (letters < turnLetters) continue;
    letters = 1;
    await nextTurn(); // for others: parts may be long
  }
  return pieces;
}

const noNames = { actions: [], components: [], runbooks: [] };

/** A config without what is long of it; it has these names. */
export async function showChecked(
  db: Db,
  row: AppConfigRow,
  names: Readonly<Record<NamedKind, readonly string[]>>,
): Promise<Omit<WholeAppConfigVersion, "readme" | "state" | "warnings" | "notices">> {
  const { status_v2: status, ...config } = toConfig(row);
  const find = async (kind: NamedKind) => {
    const wanted = { kind, apps: [row.app_id], names: names[kind] };
    return [...(await findIdsByName(db, row.org_id as OrgId, wanted)).values()].toSorted(); // of its row
  };
  const [action_ids, component_ids, runbook_ids] = await Promise.all([
    find("actions"),
    find("components"),
    find("runbooks"),
  ]);
  const ids = { action_ids, component_ids, runbook_ids };
  return { ...config, status_v2: { ...status, metadata: {} }, ...ids };
}

/** The config that is active, if one is. */
export async function readDocument(
  db: Db,
  org: OrgId,
  id: string | null,
): Promise<AppConfigDocument | undefined> {
  return id === null ? undefined : await requireDocument(db, org, id);
}

async function requireDocument(db: Db, org: OrgId, id: string): Promise<AppConfigDocument> {
  const document = await storedDocument(db, org, id);
  if (document === undefined) throw notWhole();
  return document;
}

const notWhole = (): Error =>
  problem.conflict("config_not_whole", "This config is not complete yet, so it cannot be read.");

/** The canonical JSON of a config; 409 while it is not whole. */
export async function requireText(db: Db, org: OrgId, id: string): Promise<string> {
  const text = await findDocument(db, org, id);
  if (text === undefined) throw notWhole();
  return text;
}
