import type { InstallDeploy } from "../../shared/api/install-deploys.ts";
import type { Db } from "../database/connect.ts";
import type { Actor } from "../tokens/actor.ts";
import type { BegunDeploy } from "./deploy-component.ts";
import { deployRows } from "./deploy-rows.ts";

/** A deploy that has just begun. */
export async function showBegunDeploy(
  db: Db,
  { id: actorId, orgId }: Pick<Actor, "id" | "orgId">,
  installId: string,
  { deploy, workflowId }: BegunDeploy,
): Promise<InstallDeploy> {
  const row = await deployRows.find(db, orgId, { deploy_id: deploy.id });
  if (row !== undefined) return deployRows.toItem(row);
  // until insert_workflow inserts the draft's install_deploy: then the row is there, and this is a bug
  const now = new Date();
  const nothing = { workflow_step_id: null, plan_job_id: null, apply_job_id: null };
  return deployRows.toItem({
    ...deploy,
    ...nothing,
    org_id: orgId,
    install_id: installId,
    workflow_id: workflowId,
    app_config_id: null,
    artifact: {},
    outputs_job_id: null,
    log_stream_id: null,
    status: "pending",
    status_description: "",
    status_at: now,
    composite_error: null,
    changes: {},
    values_digest: "",
    revision: null,
    planned_at: null,
    applied_at: null,
    created_at: now,
    started_at: null,
    finished_at: null,
    created_by_id: actorId,
    nth: 0,
    policy_reports: [],
  });
}
