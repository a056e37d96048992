import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** What is known of what is looked at for drift. */
export type DriftTarget = {
  readonly component_id: string | null;
  readonly is_deployed: boolean;
  readonly toggles: Readonly<Record<string, boolean>>;
  /** The workflow that changes the install now. */
  readonly changing_id: string | null;
};

/** Of a component of an install by its name, empty of the sandbox; undefined where the install has it not. */
export async function findDriftTarget(
  db: Db,
  org: OrgId,
  { installId, name }: { readonly installId: string; readonly name: string },
): Promise<DriftTarget | undefined> {
  const [row] = await db<DriftTarget[]>`
    select h.component_id, h.deployed_id is not null as is_deployed,
           coalesce((select n.component_toggles from install_configs n where n.install_id = h.install_id order by n.id desc limit 1), '{}') as toggles,
           (select w.id from workflows w join queues q on q.org_id = w.org_id and q.id = w.queue_id
             where w.org_id = h.org_id and w.owner_id = h.install_id and w.status = 'in-progress' and q.name = 'changes' limit 1) as changing_id
      from install_components h
     where h.org_id = ${org} and h.install_id = ${installId} and h.name = ${name}
     order by h.component_id desc nulls last limit 1`;
  return row;
}
