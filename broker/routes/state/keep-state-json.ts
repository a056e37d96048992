import { getStateJsonRoute, type StateJson } from "../../../shared/api/terraform-revisions.ts";
import {
  getPulumiStateRoute,
  writePulumiStateRoute,
  writeStateJsonRoute,
} from "../../../shared/api/terraform-state.ts";
import { answerBytes } from "../../http/answer/answer-bytes.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { answer } from "../../http/answer/answer.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { maxBytes } from "../../http/body/read-json.ts";
import { streamBody } from "../../http/body/stream-body.ts";
import { requestHeader } from "../../http/gate/request-header.ts";
import { openCurrentState } from "../../workspaces/open-current-state.ts";
import { findStateJson, type StateJsonRow } from "../../workspaces/queries.ts";
import { openStored } from "../../workspaces/read-parts.ts";
import { requireWorkspaceAccess } from "../../workspaces/require-workspace-access.ts";
import { requireWorkspace } from "../../workspaces/show-workspace.ts";
import { writeStateJson } from "../../workspaces/write-state-json.ts";
import { requireWritable, writeState } from "../../workspaces/write-state.ts";

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

/** GET, POST /v1/runners/pulumi-state/{workspace_id} */
export const pulumiState: RegisterRoutes = (app, broker) => {
  app.handle(
    getPulumiStateRoute,
    async ({
      c,
      actor,
      orgId,
      params: { workspace_id: workspaceId },
      query: { job_id: jobId },
    }) => {
      await requireWorkspaceAccess(broker, actor, { workspaceId, jobId, isPulumi: true });
      const state = await openCurrentState(broker, orgId, workspaceId);
      const type = "application/octet-stream";
      return state === undefined ? answer(204) : answerBytes(c, broker, state, type);
    },
  );
  app.handle(
    writePulumiStateRoute,
    async ({ c, actor, orgId, params: { workspace_id: workspaceId }, query, withPermit }) => {
      const asked = { workspaceId, jobId: query.job_id, isPulumi: true };
      const { jobId } = await withPermit(() => requireWorkspaceAccess(broker, actor, asked));
      const write = {
        workspaceId,
        jobId,
        lockId: null,
        needsLock: false,
        contentMd5: requestHeader(c, "content-md5"),
        isTerraform: false,
      };
      await withPermit(() => requireWritable(broker.db, orgId, write));
      const pieces = streamBody(c, maxBytes(c.get("rule")));
      await writeState(broker, actor, { write, pieces, withPermit });
    },
  );
};
