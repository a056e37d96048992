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
import { answer } from "../../http/answer/answer.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { maxBytes } from "../../http/body/read-json.ts";
import { streamBody } from "../../http/body/stream-body.ts";
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
  app.handle(
    rescueStateRoute,
    async ({
      c,
      actor,
      params: { workspace_id: workspaceId },
      query: { job_id: asked },
      withPermit,
    }) => {
      const rescuing = await withPermit(() =>
        requireRescueAccess(broker, actor, { workspaceId, jobId: asked }),
      );
      const pieces = streamBody(c, maxBytes(c.get("rule")));
      const rescue = { workspaceId, ...rescuing, pieces, withPermit };
      const id = await rescueState(broker, actor, rescue);
      if (id === undefined) return answer(204);
      const named = { workspace_id: workspaceId, rescued_id: id };
      return answer(201, toRescued(await withPermit(() => requireRescued(c, broker, named))));
    },
  );
  app.handle(listRescuedStatesRoute, async ({ orgId, params }) => {
    const { id } = await requireWorkspace(db, orgId, params.workspace_id);
    return (await listRescued(db, orgId, id)).map(toRescued);
  });
  app.handle(getRescuedStateContentsRoute, async ({ c, params }) => {
    const row = await requireRescued(c, broker, params);
    return answerBytes(c, broker, openStored(broker, row));
  });
  app.handle(pushRescuedStateRoute, async ({ actor, params, body }) => {
    const { workspace_id: workspaceId, rescued_id: rescuedId } = params;
    await requireWorkspace(db, actor.orgId, workspaceId);
    await pushRescuedState(db, actor, { workspaceId, rescuedId, ...body });
    return await showWorkspace(db, actor.orgId, workspaceId);
  });
  app.handle(discardRescuedStateRoute, async ({ actor, params, query }) => {
    const { workspace_id: workspaceId, rescued_id: rescuedId } = params;
    const { reason = "" } = query;
    await requireWorkspace(db, actor.orgId, workspaceId);
    await discardRescuedState(db, actor, { workspaceId, rescuedId, reason });
  });
};

async function requireRescued(c: AppContext, { db }: Broker, named: Named) {
  const { workspace_id: workspaceId, rescued_id: id } = named;
  const row = await findRescued(db, c.get("actor").orgId, { workspaceId, id });
  if (row === undefined) throw problem.notFound("rescued state");
  return row;
}
