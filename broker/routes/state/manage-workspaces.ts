import {
  blockWorkspaceRoute,
  createWorkspaceRoute,
  deleteWorkspaceRoute,
  forceUnlockRoute,
  getWorkspaceLockRoute,
  getWorkspaceRoute,
  listWorkspacesRoute,
  restoreWorkspaceRoute,
  rollBackWorkspaceRoute,
  unblockWorkspaceRoute,
} from "../../../shared/api/terraform-workspaces.ts";
import { listWorkspaceEventsRoute } from "../../../shared/api/workspace-events.ts";
import { problem } from "../../../shared/problem.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import { answerShape } from "../../http/answer/answer-shape.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { breakLock } from "../../workspaces/lock-workspace.ts";
import {
  blockWorkspace,
  createWorkspace,
  deleteWorkspace,
  restoreWorkspace,
  unblockWorkspace,
} from "../../workspaces/manage-workspace.ts";
import { listEvents, listLocks, listWorkspaces } from "../../workspaces/queries.ts";
import { requireWorkspaceAccess } from "../../workspaces/require-workspace-access.ts";
import { rollBackWorkspace } from "../../workspaces/roll-back-workspace.ts";
import {
  prepareToShow,
  requireWorkspace,
  showWorkspace,
  toLock,
  toWorkspaceEvent,
} from "../../workspaces/show-workspace.ts";

/** POST, GET /v1/terraform-workspaces; GET, DELETE …/{workspace_id}; POST …/restore; GET …/lock, …/events */
export const keepWorkspaces: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(createWorkspaceRoute, async ({ actor, body }) => {
    const id = await createWorkspace(db, actor, body);
    return await showWorkspace(db, actor.orgId, id);
  });
  app.handle(listWorkspacesRoute, async ({ c, actor: { orgId, bound }, query }) => {
    const [page, filters] = splitQuery(query);
    return await answerList(c, page, {
      filters,
      read: (request) => listWorkspaces(db, orgId, { filters, bound, ...request }),
      toItems: async (rows) => rows.map(await prepareToShow(db, orgId, rows)),
    });
  });
  app.handle(getWorkspaceRoute, async ({ c, orgId, params }) => {
    const workspace = await showWorkspace(db, orgId, params.workspace_id);
    return answerShape(c, workspace, (it) => [it]);
  });
  app.handle(deleteWorkspaceRoute, async ({ c, actor, params, query }) => {
    const { workspace_id: workspaceId } = params;
    const { reason = "" } = query;
    const workspace = await showWorkspace(db, actor.orgId, workspaceId);
    await deleteWorkspace(db, actor, { workspaceId, reason });
    return answerShape(c, workspace, (it) => [it]);
  });
  app.handle(
    restoreWorkspaceRoute,
    async ({ actor, params: { workspace_id: workspaceId }, body }) => {
      await restoreWorkspace(broker, actor, { workspaceId, ...body });
      return await showWorkspace(db, actor.orgId, workspaceId);
    },
  );
  app.handle(getWorkspaceLockRoute, async ({ actor, params: { workspace_id: workspaceId } }) => {
    await requireWorkspaceAccess(broker, actor, { workspaceId });
    const [lock] = await listLocks(db, actor.orgId, [workspaceId]);
    if (lock === undefined) throw problem.notFound("lock");
    return toLock(lock);
  });
  app.handle(listWorkspaceEventsRoute, async ({ orgId, params }) => {
    const { id } = await requireWorkspace(db, orgId, params.workspace_id);
    return (await listEvents(db, orgId, id)).map(toWorkspaceEvent);
  });
};

/** POST /v1/terraform-workspaces/{workspace_id}/force-unlock, …/block, …/unblock, …/rollback */
export const operateWorkspaces: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(forceUnlockRoute, async ({ actor, params: { workspace_id: workspaceId }, body }) => {
    await breakLock(db, actor, { workspaceId, ...body });
    return await showWorkspace(db, actor.orgId, workspaceId);
  });
  app.handle(
    blockWorkspaceRoute,
    async ({ actor, params: { workspace_id: workspaceId }, body }) => {
      const { jobId } = await requireWorkspaceAccess(broker, actor, { workspaceId });
      await blockWorkspace(db, actor, { workspaceId, jobId, ...body });
      return await showWorkspace(db, actor.orgId, workspaceId);
    },
  );
  app.handle(
    unblockWorkspaceRoute,
    async ({ actor, params: { workspace_id: workspaceId }, body }) => {
      await unblockWorkspace(db, actor, { workspaceId, ...body });
      return await showWorkspace(db, actor.orgId, workspaceId);
    },
  );
  app.handle(
    rollBackWorkspaceRoute,
    async ({ actor, params: { workspace_id: workspaceId }, body }) => {
      await rollBackWorkspace(broker, actor, { workspaceId, ...body });
      return await showWorkspace(db, actor.orgId, workspaceId);
    },
  );
};
