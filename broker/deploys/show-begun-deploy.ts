import type { InstallDeploy } from "../../shared/api/install-deploys.ts";
import type { Db } from "../database/connect.ts";
import type { Actor } from "../tokens/actor.ts";
import type { BegunDeploy } from "./deploy-component.ts";
import { deployRows } from "./deploy-rows.ts";

/** A deploy that has just begun. */
export async function showBegunDeploy(
  db: Db,
  { orgId }: Pick<Actor, "orgId">,
  { deploy, workflowId }: BegunDeploy,
): Promise<InstallDeploy> {
  const row = await deployRows.find(db, orgId, { deploy_id: deploy.id });
  if (row === undefined)
    throw new Error(`the deploy ${deploy.id} is gone, whose workflow ${workflowId} has just begun`);
  return deployRows.toItem(row);
}
