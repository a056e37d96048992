import { getStateJsonRoute, type StateJson } from "../../../shared/api/terraform-revisions.ts";
import { writeStateJsonRoute } from "../../../shared/api/terraform-state.ts";
import { answerBytes } from "../../http/answer/answer-bytes.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { answer } from "../../http/answer/answer.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { maxBytes } from "../../http/body/read-json.ts";
import { streamBody } from "../../http/body/stream-body.ts";
import { findStateJson, type StateJsonRow } from "../../workspaces/queries.ts";
import { openStored } from "../../workspaces/read-parts.ts";
import { requireWorkspaceAccess } from "../../workspaces/require-workspace-access.ts";
import { requireWorkspace } from "../../workspaces/show-workspace.ts";
import { writeStateJson } from "../../workspaces/write-state-json.ts";

/** POST, GET /v1/terraform-workspaces/{workspace_id}/state-json */
export const keepStateJson: RegisterRoutes = (app, broker) => {
  app.handle(
    writeStateJsonRoute,
    async ({
      c,
      actor,
      params: { workspace_id: workspaceId },
      query: { job_id: jobId },
      withPermit,
    }) => {
      const where = await withPermit(() =>
        requireWorkspaceAccess(broker, actor, { workspaceId, jobId }),
      );
      const pieces = streamBody(c, maxBytes(c.get("rule")));
      await writeStateJson(broker, actor, { where, pieces, withPermit });
    },
  );
  app.handle(getStateJsonRoute, async ({ c, orgId, params, query }) => {
    const { workspace_id: workspaceId } = params;
    await requireWorkspace(broker.db, orgId, workspaceId);
    const stored = await findStateJson(broker.db, orgId, workspaceId);
    const { limit, offset = 0, page = 0 } = query;
    if (limit !== undefined || query.offset !== undefined || query.page !== undefined) {
      const isFirst = offset === 0 && page === 0;
      const kept = stored === undefined || !isFirst ? [] : [toStateJson(stored)];
      return answerFinished(c, broker, [JSON.stringify(kept)]);
    }
    if (stored === undefined) return answer(204);
    return answerBytes(c, broker, openStored(broker, stored));
  });
};

/** The output of `terraform show -json` that is kept, without its bytes. */
const toStateJson = (row: StateJsonRow): StateJson => ({
  id: row.id,
  org_id: row.org_id,
  workspace_id: row.workspace_id,
  size_bytes: row.size_bytes,
  runner_job_id: row.runner_job_id,
  created_at: row.created_at.toISOString(),
  created_by_id: row.created_by_id,
});
