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
import { readPage, toPage } from "../../http/answer/paginate.ts";
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
  app.openapi(createWorkspaceRoute, async (c) => {
    const actor = c.get("actor");
    const id = await createWorkspace(db, actor, c.req.valid("json"));
    return c.json(await showWorkspace(db, actor.orgId, id), 201);
  });
  app.openapi(listWorkspacesRoute, async (c) => {
    const { cursor, limit, ...filters } = c.req.valid("query");
    const { after } = readPage({ cursor, limit }, filters);
    const { orgId, bound } = c.get("actor");
    const rows = await listWorkspaces(db, orgId, { filters, bound, after, limit: limit + 1 });
    const toItem = await prepareToShow(db, orgId, rows);
    return c.json(toPage(c, rows, { limit, filters, toItem }), 200);
  });
  app.openapi(getWorkspaceRoute, async (c) =>
    c.json(await showWorkspace(db, c.get("actor").orgId, c.req.valid("param").workspace_id), 200),
  );
  app.openapi(deleteWorkspaceRoute, async (c) => {
    const { workspace_id: workspaceId } = c.req.valid("param");
    const { reason = "" } = c.req.valid("query");
    await deleteWorkspace(db, c.get("actor"), { workspaceId, reason });
    return c.body(null, 204);
  });
  app.openapi(restoreWorkspaceRoute, async (c) => {
    const actor = c.get("actor");
    const { workspace_id: workspaceId } = c.req.valid("param");
    await restoreWorkspace(broker, actor, { workspaceId, ...c.req.valid("json") });
    return c.json(await showWorkspace(db, actor.orgId, workspaceId), 200);
  });
  app.openapi(getWorkspaceLockRoute, async (c) => {
    const actor = c.get("actor");
    const { workspace_id: workspaceId } = c.req.valid("param");
    await requireWorkspaceAccess(broker, actor, { workspaceId });
    const [lock] = await listLocks(db, actor.orgId, [workspaceId]);
    if (lock === undefined) throw problem.notFound("lock");
    return c.json(toLock(lock), 200);
  });
  app.openapi(listWorkspaceEventsRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { id } = await requireWorkspace(db, orgId, c.req.valid("param").workspace_id);
    return c.json((await listEvents(db, orgId, id)).map(toWorkspaceEvent), 200);
  });
};

/** POST /v1/terraform-workspaces/{workspace_id}/force-unlock, …/block, …/unblock, …/rollback */
export const operateWorkspaces: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.openapi(forceUnlockRoute, async (c) => {
    const actor = c.get("actor");
    const { workspace_id: workspaceId } = c.req.valid("param");
    await breakLock(db, actor, { workspaceId, ...c.req.valid("json") });
    return c.json(await showWorkspace(db, actor.orgId, workspaceId), 200);
  });
  app.openapi(blockWorkspaceRoute, async (c) => {
    const actor = c.get("actor");
    const { workspace_id: workspaceId } = c.req.valid("param");
    const { jobId } = await requireWorkspaceAccess(broker, actor, { workspaceId });
    await blockWorkspace(db, actor, { workspaceId, jobId, ...c.req.valid("json") });
    return c.json(await showWorkspace(db, actor.orgId, workspaceId), 200);
  });
  app.openapi(unblockWorkspaceRoute, async (c) => {
    const actor = c.get("actor");
    const { workspace_id: workspaceId } = c.req.valid("param");
    await unblockWorkspace(db, actor, { workspaceId, ...c.req.valid("json") });
    return c.json(await showWorkspace(db, actor.orgId, workspaceId), 200);
  });
  app.openapi(rollBackWorkspaceRoute, async (c) => {
    const actor = c.get("actor");
    const { workspace_id: workspaceId } = c.req.valid("param");
    await rollBackWorkspace(broker, actor, { workspaceId, ...c.req.valid("json") });
    return c.json(await showWorkspace(db, actor.orgId, workspaceId), 200);
  });
};
