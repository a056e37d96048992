import type { ShownInputs } from "../../shared/api/install-inputs.ts";
import { canonicalJson } from "../../shared/app-config/canonical-json.ts";
import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { hiddenValue } from "../../shared/hidden-value.ts";
import { problem } from "../../shared/problem.ts";
import { readDocument } from "../app-configs/show-configs.ts";
import type { Db } from "../database/connect.ts";
import { type CreatedFilter, createdWithin } from "../database/created-within.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import type { Actor } from "../tokens/actor.ts";
import { beginWorkflow, findBegun } from "./begin-workflow.ts";
import { checkInputs } from "./check-inputs.ts";
import { sealInputs } from "./create-install.ts";
import { openJson } from "./install-facts.ts";
import { findInstall } from "./install-rows.ts";
import { sensitiveInputs } from "./install-state.ts";
import { requireInstall } from "./keep-installs.ts";

type Parts = { readonly db: Db; readonly seals: Seals };
type Values = Readonly<Record<string, unknown>>;
type Row = {
  readonly id: string;
  readonly org_id: string;
  readonly install_id: string;
  readonly version: number;
  readonly app_config_id: string;
  readonly key_id: string | null;
  readonly contents: Buffer;
  readonly created_at: Date;
  readonly created_by_id: string;
};

/** Versions of an install's inputs, the newest first; one is opened when it is shown. */
export async function listInputs(
  { db, seals }: Parts,
  org: OrgId,
  {
    id,
    created = {},
    after,
    limit,
    offset,
  }: ListRequest & { readonly id: string; readonly created?: CreatedFilter },
): Promise<{ readonly id: string; readonly sort_key: string; readonly show: () => ShownInputs }[]> {
  const rows = await db<(Row & { sort_key: string })[]>`
    select n.*, n.created_at::text as sort_key from install_inputs n
     where n.org_id = ${org} and n.install_id = ${id} and n.id < ${after?.id ?? "~"}
       ${createdWithin(db, db`n.created_at`, created)}
     order by n.id desc limit ${limit} offset ${offset}`;
  const shown = await prepareInputs({ db, seals }, org, rows);
  return rows.map((row) => ({ id: row.id, sort_key: row.sort_key, show: () => shown(row) }));
}

/** What shows rows of an install's inputs: what is sensitive by their configs, or by those that the install has or is to have, is hidden. */
async function prepareInputs(
  { db, seals }: Parts,
  org: OrgId,
  rows: readonly Row[],
): Promise<(row: Row) => ShownInputs> {
  const [first] = rows;
  const install = first && (await findInstall(db, org, first.install_id));
  const present = [install?.applied_config_id, install?.expected_config_id].flatMap(
    (id) => id ?? [],
  );
  const ids = [...new Set([...present, ...rows.map((row) => row.app_config_id)])];
  const hidden = new Map(
    await Promise.all(ids.map(async (id) => [id, await sensitiveOf(db, org, id)] as const)),
  );
  return (row) => {
    const sensitive = [row.app_config_id, ...present].map((id) => hidden.get(id));
    return toInputs(row, openValues(seals, row), (name) =>
      sensitive.some((names) => names === undefined || names.has(name)),
    );
  };
}

async function sensitiveOf(
  db: Db,
  org: OrgId,
  configId: string,
): Promise<ReadonlySet<string> | undefined> {
  const config = await readDocument(db, org, configId);
  return config && sensitiveInputs({ config });
}

function toInputs(row: Row, values: Values, isHidden: (name: string) => boolean): ShownInputs {
  const shown = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isHidden(name) ? hiddenValue : value]),
  );
  return {
    id: row.id,
    org_id: row.org_id,
    install_id: row.install_id,
    version: row.version,
    app_config_id: row.app_config_id,
    app_input_config_id: row.app_config_id,
    values: shown,
    redacted_values: shown,
    created_by_id: row.created_by_id,
    created_at: row.created_at.toISOString(),
  };
}

const openValues = (seals: Seals, row: Row): Values =>
  openJson(
    seals,
    { orgId: row.org_id, id: row.id, part: "install-inputs" },
    { keyId: row.key_id, bytes: row.contents },
  ) as Values; // sealed as such

/** An install's present inputs. */
export async function showInputs(parts: Parts, org: OrgId, id: string): Promise<ShownInputs> {
  await requireInstall(parts.db, org, id);
  const row = await presentRow(parts, org, id);
  return (await prepareInputs(parts, org, [row]))(row);
}

async function presentRow({ db }: Parts, org: OrgId, id: string): Promise<Row> {
  const [row] = await db<Row[]>`
    select n.* from installs i join install_inputs n on n.install_id = i.id and n.version = i.inputs_version
     where i.org_id = ${org} and i.id = ${id}`;
  if (row === undefined) throw problem.notFound("install");
  return row;
}

/**
 * Gives an install other inputs, and begins the workflow that brings them to it; where nothing changes, nothing happens.
 * `isWhole`: those that are not named are removed.
 */
export async function changeInputs(
  parts: Parts,
  actor: Pick<Actor, "id" | "orgId" | "requestSeed">,
  {
    id,
    given,
    isWhole,
    role = "",
  }: {
    readonly id: string;
    readonly given: Values;
    readonly isWhole: boolean;
    readonly role?: string;
  },
): Promise<ShownInputs> {
  const { db, seals } = parts;
  const { orgId } = actor;
  const install = await requireInstall(db, orgId, id);
  const configId = install.applied_config_id ?? install.expected_config_id;
  const config = await readDocument(db, orgId, configId);
  if (config === undefined || configId === null)
    throw problem.conflict("no_active_config", "The app has no active config. Sync one first.");
  const row = await presentRow(parts, orgId, id);
  const before = openValues(seals, row);
  const values = checkInputs(config, isWhole ? given : { ...stillKnown(config, before), ...given });
  if (canonicalJson(values) === canonicalJson(before)) {
    const begun = await findBegun(db, actor, { installId: id, type: "input_update" });
    return { ...(await showInputs(parts, orgId, id)), ...(begun && { workflow_id: begun }) };
  }
  const sealed = sealInputs(seals, orgId, values);
  const inputs = { ...sealed, app_config_id: configId, from_version: row.version };
  const workflowId = await beginWorkflow(parts, actor, {
    installId: id,
    workflow: { type: "input_update", role, params: { changed: changedNames(before, values) } },
    inputs,
  });
  return { ...(await showInputs(parts, orgId, id)), workflow_id: workflowId };
}

/** Values of inputs that a newer config has no more fall away. */
function stillKnown(config: AppConfigDocument, values: Values): Values {
  const names = new Set((config.inputs?.input ?? []).map(({ name }) => name));
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
}

const changedNames = (before: Values, after: Values): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => canonicalJson(before[name]) !== canonicalJson(after[name]))
    .sort();
