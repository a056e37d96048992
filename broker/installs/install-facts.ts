import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { storedDocument } from "../app-configs/stored-document.ts";
import type { Db } from "../database/connect.ts";
import { listKnownSecrets } from "../install-secrets/list-known-secrets.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import type { InstallRow } from "./install-row.ts";
import { listDeployed } from "./list-deployed.ts";
import type { StateBase } from "./state-base.ts";
import type { StoredValues } from "./state-values.ts";
import { type ReadingParts, storedValues, type ValuePlaces } from "./stored-values.ts";

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
  readonly org: {
    readonly id: string;
    readonly name: string;
    /** Plans that change nothing are passed over, whatever a config says. */
    readonly auto_skip_noops: boolean;
  };
  readonly app: {
    readonly id: string;
    readonly name: string;
    readonly active_config_id: string | null;
  };
  readonly runner: { readonly id: string; readonly lifecycle: string; readonly status: string };
  /** The config that is meant, and its id. */
  readonly configId: string;
  readonly config: AppConfigDocument;
  readonly actions: readonly KnownAction[];
  /** Of what the config has; undefined of an install that never had any of it. */
  readonly deployed?: StateBase["deployed"];
  /** Of the secrets that the config has; undefined where it has none. */
  readonly secrets?: StateBase["secrets"];
  /** What of it may be long; nothing of that is read yet. */
  readonly values: StoredValues;
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
  readonly inputs_bytes: number;
  readonly secrets: { readonly digest: string | null; readonly bytes: number };
  readonly state_checksum: string | null;
  readonly state_id: string | null;
};

type ChooseConfig = (found: Pick<InstallFacts, "install" | "app">) => string | null;

/** What is known of an install, also of a deleted one, by one of its app's configs; undefined where there is no install or no config. */
export async function findInstallFacts(
  parts: ReadingParts,
  org: OrgId,
  { id, choose }: { readonly id: string; readonly choose: ChooseConfig },
): Promise<InstallFacts | undefined> {
  const { db } = parts;
  const [row] = await db<Row[]>`
    select to_jsonb(i) as install, jsonb_build_object('id', o.id, 'name', o.name, 'auto_skip_noops', o.auto_skip_noops) as org,
           jsonb_build_object('id', a.id, 'name', a.name, 'active_config_id', a.active_config_id) as app,
           jsonb_build_object('id', u.id, 'lifecycle', u.lifecycle, 'status', u.status) as runner,
           n.id as inputs_id, octet_length(n.contents) as inputs_bytes, x.secrets,
           s.id as state_id, s.checksum as state_checksum
      from installs i
      join orgs o on o.id = i.org_id
      join apps a on a.org_id = i.org_id and a.id = i.app_id
      join runners u on u.org_id = i.org_id and u.id = i.runner_id
      join install_inputs n on n.install_id = i.id and n.version = i.inputs_version
     cross join lateral (
        select jsonb_build_object('digest', md5(string_agg(concat(s.name, ' ', s.updated_at), ',' order by s.name)),
                                  'bytes', coalesce(sum(octet_length(s.value)), 0)) as secrets
          from app_secrets s where s.org_id = a.org_id and s.app_id = a.id) x
      left join lateral (
        select s.id, s.checksum from install_states s
         where s.install_id = i.id and s.version = i.state_version
         order by s.install_id, s.version limit 1) s on true -- by its index: as a join all states of the install were walked
     where i.org_id = ${org} and i.id = ${id}`;
  const configId = row && choose(row);
  if (row === undefined || configId == null) return undefined;
  const config = await storedDocument(db, org, configId);
  if (config === undefined) return undefined;
  const [actions, runs, { deployed, ends: others }, secrets] = await Promise.all([
    listKnownActions(db, org, configId),
    listActionEnds(db, org, id),
    listDeployed(db, org, { installId: id, config }),
    listKnownSecrets(db, org, { installId: id, config }),
  ]);
  const ends = [...runs, ...others];
  return {
    install: row.install,
    org: row.org,
    app: row.app,
    runner: row.runner,
    configId,
    config,
    actions,
    deployed,
    secrets,
    values: storedValues(parts, org, {
      digest: [row.inputs_id, row.secrets.digest, ...ends.map((end) => end.id)].join(" "),
      bytes: row.inputs_bytes + row.secrets.bytes,
      appId: row.app.id,
      inputsId: row.inputs_id,
      ends,
    }),
    stateChecksum: row.state_checksum,
    stateId: row.state_id,
  };
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

/** The newest run of each name that ended well, and how long its outputs are: an action may have had the name of a deleted one. */
async function listActionEnds(db: Db, org: OrgId, installId: string): Promise<ValuePlaces["ends"]> {
  return db<ValuePlaces["ends"][number][]>`
    select distinct on (r.name) r.name, r.id, r.status, o.execution_id, coalesce(length(o.sealed_outputs), octet_length(o.outputs::text), 0) as bytes
      from installs i
      join actions a on a.org_id = i.org_id and a.app_id = i.app_id
     cross join lateral (select * from install_action_runs n
                          where n.install_id = i.id and n.action_id = a.id and n.status = 'finished'
                          order by n.id desc limit 1) r
      left join lateral (select x.final_execution_id from runner_job_ends x where x.runner_job_id = r.runner_job_id limit 1) d on true
      left join runner_job_execution_outputs o on o.execution_id = d.final_execution_id
     where i.org_id = ${org} and i.id = ${installId}
     order by r.name, r.id desc`;
}

/** JSON that was sealed. */
export function openJson(
  seals: Pick<Seals, "open">,
  thing: Parameters<Seals["open"]>[0],
  sealed: Parameters<Seals["open"]>[1],
): unknown {
  return JSON.parse(seals.open(thing, sealed).toString("utf8"));
}
