import {
  lockTerraformWorkspaceRoute,
  unlockTerraformWorkspaceRoute,
} from "../../../shared/api/terraform-state.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { lockWorkspace, unlockWorkspace } from "../../workspaces/lock-workspace.ts";
import { refuseForceUnlock } from "../../workspaces/refuse.ts";
import { requireWorkspaceAccess } from "../../workspaces/require-workspace-access.ts";

/** POST /v1/terraform-workspaces/{workspace_id}/lock, …/unlock */
export const lockWorkspaces: RegisterRoutes = (app, broker) => {
  app.openapi(lockTerraformWorkspaceRoute, async (c) => {
    const actor = c.get("actor");
    const { workspace_id: workspaceId } = c.req.valid("param");
    const { job_id: jobId } = c.req.valid("query");
    const reached = await requireWorkspaceAccess(broker, actor, { workspaceId, jobId });
    const lock = await lockWorkspace(broker.db, actor, { reached, lock: c.req.valid("json") });
    return c.json(lock, 200);
  });
  app.openapi(unlockTerraformWorkspaceRoute, async (c) => {
    const actor = c.get("actor");
    const { workspace_id: workspaceId } = c.req.valid("param");
    const { job_id: jobId, ID: queried } = c.req.valid("query");
    const lockId = c.req.valid("json").ID ?? queried ?? null;
    await requireWorkspaceAccess(broker, actor, { workspaceId, jobId });
    if (lockId === null && actor.runnerId !== null) {
      await refuseForceUnlock(broker.db, actor.orgId, workspaceId);
      return c.json({}, 200);
    }
    const unlock = { workspaceId, lockId, reason: "" };
    return c.json(await unlockWorkspace(broker.db, actor, unlock), 200);
  });
};
