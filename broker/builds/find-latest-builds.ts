import type { ComponentBuild } from "../../shared/api/builds.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { buildRows, type ShownBuildRow } from "./build-rows.ts";

/** The newest build of each of these components that was ever built, by the component's id. */
export async function findLatestBuilds(
  db: Db,
  org: OrgId,
  components: readonly string[],
): Promise<ReadonlyMap<string, ComponentBuild>> {
  if (components.length === 0) return new Map();
  const rows = await db<ShownBuildRow[]>`
    ${db.unsafe(buildRows.select)}
     where b.org_id = ${org}
       and b.id in (select (select n.id from component_builds n where n.component_id = x.id order by n.id desc limit 1)
                      from unnest(${[...components]}::text[]) as x (id))`;
  return new Map(rows.map((row) => [row.component_id ?? "", buildRows.toItem(row)]));
}

/** The builds of one workflow, the newest first. */
export async function listBuildsOfWorkflow(
  db: Db,
  org: OrgId,
  workflowId: string,
): Promise<ComponentBuild[]> {
  const rows = await db<ShownBuildRow[]>`
    ${db.unsafe(buildRows.select)} where b.org_id = ${org} and b.workflow_id = ${workflowId} order by b.id desc`;
  return rows.map((row) => buildRows.toItem(row));
}
