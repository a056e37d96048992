import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { storedDocument } from "../app-configs/stored-document.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { appSecretThing } from "../seals/reseal-app-secret.ts";
import type { Seals } from "../seals/seals.ts";
import type { InstallRow } from "./install-row.ts";

/** A value of an input. */
export type InputValue =
  | string
  | number
  | boolean
  | readonly unknown[]
  | Readonly<Record<string, unknown>>;

/** The newest run of an action that ended well. */
export type ActionEnd = {
  readonly name: string;
  readonly id: string;
  readonly status: string;
  readonly outputs: unknown;
};
export type KnownAction = {
  readonly name: string;
  readonly action_id: string;
  readonly action_config_id: string;
  /** The action's own, and those of the app's active config. */
  readonly labels: Readonly<Record<string, string>>;
};

/** All of an install that its workflows read. */
export type InstallFacts = {
  readonly install: InstallRow;
  readonly org: { readonly id: string; readonly name: string };
  readonly app: {
    readonly id: string;
    readonly name: string;
    readonly active_config_id: string | null;
  };
  readonly runner: { readonly id: string; readonly lifecycle: string; readonly status: string };
  /** The config that is meant, and its id. */
  readonly configId: string;
  readonly config: AppConfigDocument;
  readonly inputs: Readonly<Record<string, InputValue>>;
  /** The secrets of its app, by name. */
  readonly variables: Readonly<Record<string, string>>;
  readonly actions: readonly KnownAction[];
  readonly ends: readonly ActionEnd[];
  /** Of the state that was recorded last. */
  readonly stateChecksum: string | null;
  readonly stateId: string | null;
};

type Row = {
  readonly install: InstallRow;
  readonly org: InstallFacts["org"];
  readonly app: InstallFacts["app"];
  readonly runner: InstallFacts["runner"];
  readonly inputs_id: string;
  readonly inputs_key_id: string | null;
  readonly inputs: Buffer;
  readonly state_checksum: string | null;
  readonly state_id: string | null;
};
type EndRow = {
  readonly name: string;
  readonly id: string;
  readonly status: string;
  readonly execution_id: string | null;
  readonly outputs: unknown;
  readonly key_id: string | null;
  readonly sealed_outputs: Buffer | null;
};

type Parts = { readonly db: Db; readonly seals: Seals };
type ChooseConfig = (found: Pick<InstallFacts, "install" | "app">) => string | null;

/** What is known of an install, also of a deleted one, by one of its app's configs; undefined where there is no install or no config. */
export async function findInstallFacts(
  { db, seals }: Parts,
  org: OrgId,
  { id, choose }: { readonly id: string; readonly choose: ChooseConfig },
): Promise<InstallFacts | undefined> {
  const [row] = await db<Row[]>`
    select to_jsonb(i) as install, jsonb_build_object('id', o.id, 'name', o.name) as org,
           jsonb_build_object('id', a.id, 'name', a.name, 'active_config_id', a.active_config_id) as app,
           jsonb_build_object('id', u.id, 'lifecycle', u.lifecycle, 'status', u.status) as runner,
           n.id as inputs_id, n.key_id as inputs_key_id, n.contents as inputs,
           s.id as state_id, s.checksum as state_checksum
      from installs i
      join orgs o on o.id = i.org_id
      join apps a on a.org_id = i.org_id and a.id = i.app_id
      join runners u on u.org_id = i.org_id and u.id = i.runner_id
      join install_inputs n on n.install_id = i.id and n.version = i.inputs_version
      left join lateral (
        select s.id, s.checksum from install_states s
         where s.install_id = i.id and s.version = i.state_version
         order by s.install_id, s.version limit 1) s on true -- by its index: as a join all states of the install were walked
     where i.org_id = ${org} and i.id = ${id}`;
  const configId = row && choose(row);
  if (row === undefined || configId == null) return undefined;
  const config = await storedDocument(db, org, configId);
  if (config === undefined) return undefined;
  const [actions, ends, variables] = await Promise.all([
    listKnownActions(db, org, configId),
    listActionEnds(db, org, id),
    readVariables({ db, seals }, org, row.app.id),
  ]);
  const sealed = { keyId: row.inputs_key_id, bytes: row.inputs };
  const inputs = openJson(seals, { orgId: org, id: row.inputs_id, part: "install-inputs" }, sealed);
  return {
    install: row.install,
    org: row.org,
    app: row.app,
    runner: row.runner,
    configId,
    config,
    inputs: inputs as InstallFacts["inputs"], // stored as they were checked
    variables,
    actions,
    ends: ends.map((end) => ({ ...end, outputs: outputsOf(seals, org, end) })),
    stateChecksum: row.state_checksum,
    stateId: row.state_id,
  };
}

async function readVariables(
  { db, seals }: Parts,
  org: OrgId,
  app: string,
): Promise<Record<string, string>> {
  const rows = await db<{ name: string; key_id: string | null; value: Buffer }[]>`
    select s.name, s.key_id, s.value from app_secrets s where s.org_id = ${org} and s.app_id = ${app}`;
  return Object.fromEntries(
    rows.map(({ name, key_id: keyId, value: bytes }) => [
      name,
      seals.open(appSecretThing(org, app, name), { keyId, bytes }).toString("utf8"),
    ]),
  );
}

/** The actions that a config has. */
export async function listKnownActions(
  db: Db,
  org: OrgId,
  configId: string,
): Promise<KnownAction[]> {
  return db<KnownAction[]>`
    select a.name, a.id as action_id, c.id as action_config_id, a.labels
      from action_configs c join actions a on a.org_id = c.org_id and a.id = c.action_id
     where c.org_id = ${org} and c.app_config_id = ${configId}`;
}

/** The newest run of each action that ended well, with its outputs. */
async function listActionEnds(db: Db, org: OrgId, installId: string): Promise<EndRow[]> {
  return db<EndRow[]>`
    select r.name, r.id, r.status, d.final_execution_id as execution_id, o.outputs, o.key_id, o.sealed_outputs
      from installs i
      join actions a on a.org_id = i.org_id and a.app_id = i.app_id
     cross join lateral (select * from install_action_runs n
                          where n.install_id = i.id and n.action_id = a.id and n.status = 'finished'
                          order by n.id desc limit 1) r
      left join lateral (select x.final_execution_id from runner_job_ends x where x.runner_job_id = r.runner_job_id limit 1) d on true
      left join runner_job_execution_outputs o on o.execution_id = d.final_execution_id
     where i.org_id = ${org} and i.id = ${installId}
     order by r.action_id`;
}

function outputsOf(seals: Seals, org: OrgId, end: EndRow): unknown {
  if (end.sealed_outputs === null || end.execution_id === null) return end.outputs ?? {};
  const thing = { orgId: org, id: end.execution_id, part: "outputs" };
  return openJson(seals, thing, { keyId: end.key_id, bytes: end.sealed_outputs });
}

/** JSON that was sealed. */
export function openJson(
  seals: Pick<Seals, "open">,
  thing: Parameters<Seals["open"]>[0],
  sealed: Parameters<Seals["open"]>[1],
): unknown {
  return JSON.parse(seals.open(thing, sealed).toString("utf8"));
}
