import {
  discardRescuedStateRoute,
  getRescuedStateContentsRoute,
  listRescuedStatesRoute,
  pushRescuedStateRoute,
  rescueStateRoute,
} from "../../../shared/api/rescued-states.ts";
import { problem } from "../../../shared/problem.ts";
import type { Broker } from "../../broker.ts";
import { answerBytes } from "../../http/answer/answer-bytes.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { maxBytes } from "../../http/body/read-json.ts";
import { streamBody } from "../../http/body/stream-body.ts";
import { permitFor } from "../../http/gate/with-permit.ts";
import { openStored } from "../../workspaces/read-parts.ts";
import { requireRescueAccess } from "../../workspaces/require-rescue-access.ts";
import { rescueState } from "../../workspaces/rescue-state.ts";
import { findRescued, listRescued } from "../../workspaces/rescued-queries.ts";
import { discardRescuedState, pushRescuedState } from "../../workspaces/resolve-rescued-state.ts";
import { requireWorkspace, showWorkspace, toRescued } from "../../workspaces/show-workspace.ts";

type Named = { readonly workspace_id: string; readonly rescued_id: string };

/** POST, GET /v1/terraform-workspaces/{workspace_id}/rescued-states; GET …/contents, POST …/push, DELETE */
export const rescueStates: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.openapi(rescueStateRoute, async (c) => {
    const { workspace_id: workspaceId } = c.req.valid("param");
    const { job_id: asked } = c.req.valid("query");
    const withPermit = permitFor(c, broker);
    const jobId = await withPermit(() =>
      requireRescueAccess(broker, c.get("actor"), { workspaceId, jobId: asked }),
    );
    const pieces = streamBody(c, maxBytes(c.get("rule")));
    const rescue = { workspaceId, jobId, pieces, withPermit };
    const id = await rescueState(broker, c.get("actor"), rescue);
    if (id === undefined) return c.body(null, 204);
    const named = { workspace_id: workspaceId, rescued_id: id };
    return c.json(toRescued(await withPermit(() => requireRescued(c, broker, named))), 201);
  });
  app.openapi(listRescuedStatesRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { id } = await requireWorkspace(db, orgId, c.req.valid("param").workspace_id);
    return c.json((await listRescued(db, orgId, id)).map(toRescued), 200);
  });
  app.openapi(getRescuedStateContentsRoute, async (c) => {
    const row = await requireRescued(c, broker, c.req.valid("param"));
    return answerBytes(c, broker, openStored(broker, row));
  });
  app.openapi(pushRescuedStateRoute, async (c) => {
    const actor = c.get("actor");
    const { workspace_id: workspaceId, rescued_id: rescuedId } = c.req.valid("param");
    await requireWorkspace(db, actor.orgId, workspaceId);
    await pushRescuedState(db, actor, { workspaceId, rescuedId, ...c.req.valid("json") });
    return c.json(await showWorkspace(db, actor.orgId, workspaceId), 200);
  });
  app.openapi(discardRescuedStateRoute, async (c) => {
    const actor = c.get("actor");
    const { workspace_id: workspaceId, rescued_id: rescuedId } = c.req.valid("param");
    const { reason = "" } = c.req.valid("query");
    await requireWorkspace(db, actor.orgId, workspaceId);
    await discardRescuedState(db, actor, { workspaceId, rescuedId, reason });
    return c.body(null, 204);
  });
};

async function requireRescued(c: AppContext, { db }: Broker, named: Named) {
  const { workspace_id: workspaceId, rescued_id: id } = named;
  const row = await findRescued(db, c.get("actor").orgId, { workspaceId, id });
  if (row === undefined) throw problem.notFound("rescued state");
  return row;
}
