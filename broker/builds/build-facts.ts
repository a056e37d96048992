import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { storedDocument } from "../app-configs/stored-document.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { type FixedLogin, findFixedLogin } from "../registry/find-fixed-login.ts";
import { type BuildSecret, listBuildSecrets } from "./build-secrets.ts";

/** What an earlier build made of the source that it found. */
export type FormerBuild = {
  /** Of the plan of its job. */
  readonly plan_checksum: string;
  readonly tag: string;
  readonly digest: string;
  readonly media_type: string;
  readonly size: number;
  readonly source_digest: string;
  readonly references: readonly string[];
  readonly source_ref: string;
  readonly source_checksum: string;
  readonly builder: string;
};

export type BuildRunner = {
  readonly id: string;
  readonly has_process: boolean;
  /** Which plans its agents read, of several the oldest; null where none of them says. */
  readonly reads_plans: number | null;
};

/** All of an app that its workflows read. */
export type BuildFacts = {
  readonly org: { readonly id: string; readonly name: string };
  readonly app: { readonly id: string; readonly name: string; readonly deleted_at: string | null };
  readonly configId: string;
  readonly config: AppConfigDocument;
  /** The org's own, which builds; undefined where it has none that takes jobs. */
  readonly runner: BuildRunner | undefined;
  /** Labels of components, by their ids. */
  readonly components: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** With which its builds push, where the registry has logins of its own; undefined where it has none. */
  readonly pushLogin: FixedLogin | undefined;
  /** The app's secrets that builds of this config name. */
  readonly secrets: readonly BuildSecret[];
  /** The newest build of each component that is active, by the component's id; the sandbox's by `sandbox`. */
  readonly former: ReadonlyMap<string, FormerBuild>;
};

type Row = Pick<BuildFacts, "org" | "app"> & { readonly runner: BuildFacts["runner"] | null };

/** What is known of an app, also of a deleted one, by one of its configs; undefined where one of both is not there. */
export async function findBuildFacts(
  db: Db,
  org: OrgId,
  { app, configId, components, hasSandbox }: BuildsOf,
): Promise<BuildFacts | undefined> {
  const [[row], config, labels, pushLogin, [sandbox]] = await Promise.all([
    findApp(db, org, app),
    storedDocument(db, org, configId),
    listComponents(db, org, components),
    findFixedLogin(db, org, "push"),
    hasSandbox ? findSandbox(db, org, app) : [],
  ]);
  const formers = [
    ...labels.map(({ id, former }) => [id, former] as const),
    [sandboxKey, sandbox?.former ?? null] as const,
  ];
  if (row === undefined || config === undefined) return undefined;
  return {
    secrets: await listBuildSecrets(db, org, { app, config }),
    org: row.org,
    app: row.app,
    runner: row.runner ?? undefined,
    configId,
    config,
    pushLogin,
    components: new Map(labels.map(({ id, labels: own }) => [id, own])),
    former: new Map(formers.flatMap(([id, former]) => (former === null ? [] : [[id, former]]))),
  };
}

type BuildsOf = {
  readonly app: string;
  readonly configId: string;
  /** The ids of those that are built. */
  readonly components: readonly string[];
  readonly hasSandbox: boolean;
};

/** Under which the sandbox's former build is, where components have their ids. */
export const sandboxKey = "sandbox";

/** With the runner of the oldest group of the org's own, one of which a process takes builds before others. */
function findApp(db: Db, org: OrgId, app: string): Promise<Row[]> {
  return db<Row[]>`
    select jsonb_build_object('id', o.id, 'name', o.name) as org,
           jsonb_build_object('id', a.id, 'name', a.name, 'deleted_at', a.deleted_at) as app,
           (select jsonb_build_object('id', r.id, 'has_process', r.has_process, 'reads_plans', r.reads_plans)
              from (select u.id, g.created_at, s.*
                      from runner_groups g join runners u on u.org_id = g.org_id and u.runner_group_id = g.id
                     cross join lateral (select count(*) > 0 as has_process,
                                                min(p.reads_plans) as reads_plans
                                           from runner_processes p
                                          where p.org_id = u.org_id and p.runner_id = u.id and p.status = 'active' and p.draining is null
                                            and (p.serves is null or p.serves ? 'build')) s
                     where g.org_id = ${org} and g.type = 'org' and g.deleted_at is null and u.lifecycle = 'enabled') r
             order by not r.has_process, r.created_at, r.id limit 1) as runner
      from apps a join orgs o on o.id = a.org_id
     where a.org_id = ${org} and a.id = ${app}`;
}

/** Of a row of `component_builds` that is called b. */
const formerColumns = `
  jsonb_build_object('plan_checksum', coalesce(b.artifact ->> 'plan_checksum', ''), 'tag', coalesce(b.artifact ->> 'tag', ''), 'digest', b.artifact ->> 'digest', 'media_type', coalesce(b.artifact ->> 'media_type', ''),
                     'size', coalesce(b.artifact -> 'size', '0'), 'source_digest', coalesce(b.artifact ->> 'source_digest', ''),
                     'references', coalesce(b.artifact -> 'references', '[]'),
                     'source_ref', coalesce(b.artifact ->> 'source_ref', ''),
                     'source_checksum', coalesce(b.artifact ->> 'source_checksum', ''), 'builder', coalesce(b.artifact ->> 'builder', ''))`;

type ComponentRow = {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly former: FormerBuild | null;
};

function listComponents(db: Db, org: OrgId, ids: readonly string[]): Promise<ComponentRow[]> {
  return db<ComponentRow[]>`
    select c.id, c.labels,
           (select ${db.unsafe(formerColumns)}
              from component_builds b
             where b.component_id = c.id and b.status = 'active' order by b.id desc limit 1) as former
      from components c where c.org_id = ${org} and c.id = any(${[...ids]}::text[])`;
}

function findSandbox(db: Db, org: OrgId, app: string): Promise<Pick<ComponentRow, "former">[]> {
  return db<Pick<ComponentRow, "former">[]>`
    select ${db.unsafe(formerColumns)} as former from component_builds b
     where b.org_id = ${org} and b.app_id = ${app} and b.component_id is null and b.status = 'active' order by b.id desc limit 1`;
}
