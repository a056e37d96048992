import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { storedDocument } from "../app-configs/stored-document.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { type FixedLogin, findFixedLogin } from "../registry/find-fixed-login.ts";

/** What an earlier build made of the source that it found. */
export type FormerBuild = { readonly digest: string; readonly source_digest: string };

/** All of an app that its workflows read. */
export type BuildFacts = {
  readonly org: { readonly id: string; readonly name: string };
  readonly app: { readonly id: string; readonly name: string; readonly deleted_at: string | null };
  readonly configId: string;
  readonly config: AppConfigDocument;
  /** The org's own, which builds; undefined where it has none that takes jobs. */
  readonly runner: { readonly id: string; readonly has_process: boolean } | undefined;
  /** Labels of components, by their ids. */
  readonly components: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** With which its builds push, where the registry has logins of its own; undefined where it has none. */
  readonly pushLogin: FixedLogin | undefined;
  /** The newest build of each component that is active, by the component's id. */
  readonly former: ReadonlyMap<string, FormerBuild>;
};

type Row = Pick<BuildFacts, "org" | "app"> & { readonly runner: BuildFacts["runner"] | null };

/** What is known of an app, also of a deleted one, by one of its configs; undefined where one of both is not there. */
export async function findBuildFacts(
  db: Db,
  org: OrgId,
  { app, configId, components }: BuildsOf,
): Promise<BuildFacts | undefined> {
  const [[row], config, labels, pushLogin] = await Promise.all([
    findApp(db, org, app),
    storedDocument(db, org, configId),
    listComponents(db, org, components),
    findFixedLogin(db, org, "push"),
  ]);
  if (row === undefined || config === undefined) return undefined;
  return {
    org: row.org,
    app: row.app,
    runner: row.runner ?? undefined,
    configId,
    config,
    pushLogin,
    components: new Map(labels.map(({ id, labels: own }) => [id, own])),
    former: new Map(labels.flatMap(({ id, former }) => (former === null ? [] : [[id, former]]))),
  };
}

type BuildsOf = {
  readonly app: string;
  readonly configId: string;
  /** The ids of those that are built. */
  readonly components: readonly string[];
};

/** With the runner of the oldest group of the org's own, one of which a process takes builds before others. */
function findApp(db: Db, org: OrgId, app: string): Promise<Row[]> {
  return db<Row[]>`
    select jsonb_build_object('id', o.id, 'name', o.name) as org,
           jsonb_build_object('id', a.id, 'name', a.name, 'deleted_at', a.deleted_at) as app,
           (select jsonb_build_object('id', r.id, 'has_process', r.has_process)
              from (select u.id, g.created_at,
                           exists (select from runner_processes p
                                    where p.org_id = u.org_id and p.runner_id = u.id and p.status = 'active'
                                      and (p.serves is null or p.serves ? 'build')) as has_process
                      from runner_groups g join runners u on u.org_id = g.org_id and u.runner_group_id = g.id
                     where g.org_id = ${org} and g.type = 'org' and g.deleted_at is null and u.lifecycle = 'enabled') r
             order by not r.has_process, r.created_at, r.id limit 1) as runner
      from apps a join orgs o on o.id = a.org_id
     where a.org_id = ${org} and a.id = ${app}`;
}

type ComponentRow = {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly former: FormerBuild | null;
};

function listComponents(db: Db, org: OrgId, ids: readonly string[]): Promise<ComponentRow[]> {
  return db<ComponentRow[]>`
    select c.id, c.labels,
           (select jsonb_build_object('digest', b.artifact ->> 'digest', 'source_digest', coalesce(b.artifact ->> 'source_digest', ''))
              from component_builds b
             where b.component_id = c.id and b.status = 'active' order by b.id desc limit 1) as former
      from components c where c.org_id = ${org} and c.id = any(${[...ids]}::text[])`;
}
