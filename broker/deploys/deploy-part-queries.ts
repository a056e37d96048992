import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { DeployedArtifact } from "../workflows/machine/deploy-rows.ts";

/** A build that may be deployed, or will be able to be. */
export type BuildToDeploy = {
  readonly id: string;
  readonly status: string;
  readonly app_config_id: string;
  readonly artifact: DeployedArtifact;
};

/** The deploy whose result stands; or, of what was never deployed well, the one of which something may be there. */
export type StandingDeploy = {
  readonly id: string;
  readonly type: string;
  readonly build_id: string | null;
  readonly artifact: DeployedArtifact;
  /** It came to a good end. */
  readonly is_whole: boolean;
  readonly outputs_job_id: string | null;
  readonly values_digest: string;
};

export type DeployPartRow = {
  readonly id: string;
  readonly component_id: string | null;
  readonly name: string;
  /** The config has it: there may be another of the same name that it has not, and that is gone from the app. */
  readonly is_of_config: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly status: string;
  readonly has_drift: boolean;
  /** With the config of its build, or by which it was deployed. */
  readonly deployed: (StandingDeploy & { readonly config_id: string | null }) | null;
};

type Found = {
  readonly app_id: string;
  readonly toggles: Readonly<Record<string, boolean>>;
  /** Each component of the config has its row. */
  readonly is_whole: boolean;
  readonly reads_plans: number | null;
  readonly parts: readonly DeployPartRow[];
};

/** What an install has of each component and of its sandbox; rows of what a config has besides are made. */
export async function listDeployParts(
  db: Db,
  org: OrgId,
  {
    installId,
    configId,
    names,
  }: { readonly installId: string; readonly configId: string; readonly names: readonly string[] },
): Promise<Found> {
  const found = await readParts(db, org, { installId, configId });
  const known = new Set(found.parts.map(({ name }) => name));
  if (found.is_whole && names.every((name) => known.has(name))) return found;
  await db`select keep_install_components(${org}, ${installId}, ${configId})`;
  return await readParts(db, org, { installId, configId });
}

async function readParts(
  db: Db,
  org: OrgId,
  { installId, configId }: { readonly installId: string; readonly configId: string },
): Promise<Found> {
  const [row] = await db<Found[]>`
    select f.* from deploy_parts_of(${org}, ${installId}, ${configId}) f`;
  if (row === undefined) throw new Error(`the install ${installId} is gone`);
  return row;
}

type Known = {
  readonly key: string;
  readonly component: string | null;
  /** Of what a config says of it. */
  readonly checksum: string;
};

/** The newest build that has not failed of each of these, by its key. */
export async function listBuildsToDeploy(
  db: Db,
  org: OrgId,
  { appId, known }: { readonly appId: string; readonly known: readonly Known[] },
): Promise<ReadonlyMap<string, BuildToDeploy>> {
  if (known.length === 0) return new Map();
  const rows = await db<(BuildToDeploy & { readonly key: string })[]>`
    select k.key, b.id, b.status, b.app_config_id, b.artifact
      from jsonb_to_recordset(${JSON.stringify(known)}::text::jsonb) as k(key text, component text, checksum text)
     cross join lateral (
        select n.id, n.status, n.app_config_id, n.artifact
          from (select x.* from component_builds x where x.component_id = k.component
                 union all
                select x.* from component_builds x where k.component is null and x.component_id is null and x.app_id = ${appId}) n
         where n.org_id = ${org} and n.checksum = k.checksum and n.status in ('planning', 'building', 'active')
         order by n.id desc limit 1) b`;
  return new Map(rows.map(({ key, ...build }) => [key, build]));
}

/** One build, with the name of its component, which is empty of a sandbox's; undefined where it is gone. */
export async function findBuildToDeploy(
  db: Db,
  org: OrgId,
  id: string,
): Promise<(BuildToDeploy & { readonly name: string }) | undefined> {
  const [row] = await db<(BuildToDeploy & { readonly name: string })[]>`
    select b.id, b.status, b.app_config_id, b.artifact, case when b.component_id is null then '' else b.component_name end as name from component_builds b where b.org_id = ${org} and b.id = ${id}`;
  return row;
}
