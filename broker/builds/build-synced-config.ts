import { findConfig } from "../app-configs/queries.ts";
import { storedDocument } from "../app-configs/stored-document.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { beginBuilds, listComponentParts } from "./begin-builds.ts";
import { findBuildFacts } from "./build-facts.ts";
import { checksumOfPart } from "./checksum-of-part.ts";

const asConfigured = { gitRef: "", isForced: false, isBySync: true } as const;

/**
 * Builds what a config that has come in force says otherwise than what was built last, and what was never built. Nothing where a newer
 * one is in force, or the org has no runner for builds. Repeated, it begins the same builds once.
 */
export async function buildSyncedConfig(
  db: Db,
  org: OrgId,
  { app, configId }: { readonly app: string; readonly configId: string },
): Promise<void> {
  const config = await findConfig(db, org, { app, id: configId });
  if (config?.status !== "active") return;
  const known = { app, configId, components: [], hasSandbox: false };
  if ((await findBuildFacts(db, org, known))?.runner === undefined) return;
  const { sandbox, components = [] } = (await storedDocument(db, org, configId)) ?? {};
  const built = await listBuilt(db, org, app);
  const said = new Map(components.map((one) => [one.name, checksumOfPart(one)]));
  const parts = (await listComponentParts(db, org, configId)).filter(
    ({ part_id: id, name }) => built.get(id) !== said.get(name),
  );
  const isSandboxNew = sandbox !== undefined && built.get("") !== checksumOfPart(sandbox);
  if (parts.length === 0 && !isSandboxNew) return;
  const requestSeed = `${config.status_at.getTime()} sync ${configId}`;
  const actor = { id: config.created_by_id, orgId: org, requestSeed };
  const changed = { parts, ...(isSandboxNew && { sandbox }) };
  await beginBuilds(db, actor, { app, configId, ...changed, how: asConfigured, metadata: {} });
}

/** Of what each component's newest build is that has not failed, by the component's id; the sandbox's by an empty one. */
async function listBuilt(db: Db, org: OrgId, app: string): Promise<ReadonlyMap<string, string>> {
  const rows = await db<{ id: string; checksum: string }[]>`
    select c.id, b.checksum
      from components c
      join lateral (select n.checksum from component_builds n
                     where n.org_id = ${org} and n.component_id = c.id and n.status in ('planning', 'building', 'active')
                     order by n.id desc limit 1) b on true
     where c.org_id = ${org} and c.app_id = ${app}
     union all
    (select '', n.checksum from component_builds n
      where n.org_id = ${org} and n.app_id = ${app} and n.component_id is null and n.status in ('planning', 'building', 'active')
      order by n.id desc limit 1)`;
  return new Map(rows.map(({ id, checksum }) => [id, checksum]));
}
