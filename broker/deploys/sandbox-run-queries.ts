import type { Db } from "../database/connect.ts";
import { type CreatedFilter, createdWithin } from "../database/created-within.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { deployRows, type ShownDeployRow } from "./deploy-rows.ts";

type Which = {
  readonly id: string;
  /** Of whatever install without one. */
  readonly installId?: string | undefined;
};
type Wanted = ListRequest & {
  readonly installId: string;
  readonly filter: CreatedFilter & { readonly status?: string | undefined };
};

/** The runs of an install's sandbox, the newest first. */
export async function listSandboxRuns(
  db: Db,
  org: OrgId,
  { installId, filter: { status, ...created }, after, limit, offset }: Wanted,
): Promise<(ShownDeployRow & { readonly sort_key: string })[]> {
  return db<(ShownDeployRow & { sort_key: string })[]>`
    ${db.unsafe(deployRows.select)}
     where d.org_id = ${org} and d.install_id = ${installId} and d.component_id is null and d.id < ${after?.id ?? "~"}
       ${status === undefined ? db`` : db`and d.status = ${status}`} ${createdWithin(db, db`d.created_at`, created)}
     order by d.id desc limit ${limit} offset ${offset}`;
}

/** A run of a sandbox. */
export async function findSandboxRun(
  db: Db,
  org: OrgId,
  { id, installId }: Which,
): Promise<ShownDeployRow | undefined> {
  const [row] = await db<ShownDeployRow[]>`
    ${db.unsafe(deployRows.select)}
     where d.org_id = ${org} and d.id = ${id} and d.component_id is null
       ${installId === undefined ? db`` : db`and d.install_id = ${installId}`}`;
  return row;
}
