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
  app.handle(
    lockTerraformWorkspaceRoute,
    async ({ actor, params: { workspace_id: workspaceId }, query: { job_id: jobId }, body }) => {
      const reached = await requireWorkspaceAccess(broker, actor, { workspaceId, jobId });
      const lock = await lockWorkspace(broker.db, actor, { reached, lock: body });
      return lock;
    },
  );
  app.handle(
    unlockTerraformWorkspaceRoute,
    async ({ actor, params: { workspace_id: workspaceId }, query, body }) => {
      const { job_id: jobId, ID: queried } = query;
      const lockId = body.ID ?? queried ?? null;
      await requireWorkspaceAccess(broker, actor, { workspaceId, jobId });
      if (lockId === null && actor.runnerId !== null) {
        await refuseForceUnlock(broker.db, actor.orgId, workspaceId);
        return {};
      }
      const unlock = { workspaceId, lockId, reason: "" };
      return await unlockWorkspace(broker.db, actor, unlock);
    },
  );
};
