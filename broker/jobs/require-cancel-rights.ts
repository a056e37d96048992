import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { operatorPermission } from "../runners/require-operator.ts";
import type { Actor } from "../tokens/actor.ts";

/** Whether the caller may cancel what workflows of installs do, and what else their runners do. */
export const mayCancelOfInstalls = ({ permissions }: Pick<Actor, "permissions">): boolean =>
  permissions.has(operatorPermission);

/** Refuses with 403 to cancel a job of a workflow, whose step ends with it, or of an install's runner without the permission to operate installs. */
export async function requireCancelRights(
  db: Db,
  actor: Pick<Actor, "orgId" | "permissions">,
  jobId: string,
): Promise<void> {
  if (mayCancelOfInstalls(actor)) return;
  const { workflow, install } = await findOwnersOf(db, actor.orgId, jobId);
  if (workflow === null && install === null) return;
  const why =
    workflow === null
      ? `This job is for the runner of install ${install}`
      : `This job belongs to the workflow ${workflow}, which ends with it`;
  throw problem.forbidden(
    "permission_missing",
    `${why}. This token lacks the permission ${operatorPermission}.`,
  );
}

type Owners = { readonly workflow: string | null; readonly install: string | null };

async function findOwnersOf(db: Db, org: OrgId, jobId: string): Promise<Owners> {
  const [row] = await db<Owners[]>`
    select j.workflow_id as workflow, i.id as install
      from runner_jobs j
      left join runners u on u.org_id = j.org_id and u.id = j.runner_id
      left join installs i on i.runner_group_id = u.runner_group_id and i.deleted_at is null
     where j.org_id = ${org} and j.id = ${jobId}`;
  return row ?? { workflow: null, install: null };
}
