import { problem } from "../../shared/problem.ts";
import { operatingPermissions } from "../../shared/queue-acts.ts";
import type { Db } from "../database/connect.ts";
import type { Actor } from "../tokens/actor.ts";
import type { Workflow } from "./machine/workflow-rows.ts";

/** Refuses whoever may not operate this workflow; one that is not there is for others to say. */
export async function requireOperates(
  db: Db,
  { orgId, permissions }: Pick<Actor, "orgId" | "permissions">,
  id: string,
): Promise<void> {
  const [row] = await db<{ owner_type: Workflow["owner_type"] }[]>`
    select w.owner_type from workflows w where w.org_id = ${orgId} and w.id = ${id}`;
  const needed = row && operatingPermissions[row.owner_type];
  if (needed === undefined || permissions.has(needed)) return;
  const whose = row?.owner_type === "installs" ? "an install" : "an app";
  const detail = `This workflow is of ${whose}. This token lacks the permission ${needed}.`;
  throw problem.forbidden("permission_missing", detail);
}
