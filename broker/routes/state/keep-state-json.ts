import { getStateJsonRoute } from "../../../shared/api/terraform-revisions.ts";
import {
  getPulumiStateRoute,
  writePulumiStateRoute,
  writeStateJsonRoute,
} from "../../../shared/api/terraform-state.ts";
import { answerBytes } from "../../http/answer/answer-bytes.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { maxBytes } from "../../http/body/read-json.ts";
import { streamBody } from "../../http/body/stream-body.ts";
import { requestHeader } from "../../http/gate/request-header.ts";
import { permitFor } from "../../http/gate/with-permit.ts";
import { openCurrentState } from "../../workspaces/open-current-state.ts";
import { findStateJson } from "../../workspaces/queries.ts";
import { openStored } from "../../workspaces/read-parts.ts";
import { requireWorkspaceAccess } from "../../workspaces/require-workspace-access.ts";
import { requireWorkspace } from "../../workspaces/show-workspace.ts";
import { writeStateJson } from "../../workspaces/write-state-json.ts";
import { requireWritable, writeState } from "../../workspaces/write-state.ts";

/** POST, GET /v1/terraform-workspaces/{workspace_id}/state-json */
export const keepStateJson: RegisterRoutes = (app, broker) => {
  app.openapi(writeStateJsonRoute, async (c) => {
    const { workspace_id: workspaceId } = c.req.valid("param");
    const { job_id: jobId } = c.req.valid("query");
    const withPermit = permitFor(c, broker);
    const where = await withPermit(() =>
      requireWorkspaceAccess(broker, c.get("actor"), { workspaceId, jobId }),
    );
    const pieces = streamBody(c, maxBytes(c.get("rule")));
    await writeStateJson(broker, c.get("actor"), { where, pieces, withPermit });
    return c.body(null, 200);
  });
  app.openapi(getStateJsonRoute, async (c) => {
    const { workspace_id: workspaceId } = c.req.valid("param");
    const { orgId } = c.get("actor");
    await requireWorkspace(broker.db, orgId, workspaceId);
    const stored = await findStateJson(broker.db, orgId, workspaceId);
    if (stored === undefined) return c.body(null, 204);
    return answerBytes(c, broker, openStored(broker, stored));
  });
};

/** GET, POST /v1/runners/pulumi-state/{workspace_id} */
export const pulumiState: RegisterRoutes = (app, broker) => {
  app.openapi(getPulumiStateRoute, async (c) => {
    const { workspace_id: workspaceId } = c.req.valid("param");
    const { job_id: jobId } = c.req.valid("query");
    await requireWorkspaceAccess(broker, c.get("actor"), { workspaceId, jobId, isPulumi: true });
    const state = await openCurrentState(broker, c.get("actor").orgId, workspaceId);
    const type = "application/octet-stream";
    return state === undefined ? c.body(null, 204) : answerBytes(c, broker, state, type);
  });
  app.openapi(writePulumiStateRoute, async (c) => {
    const { workspace_id: workspaceId } = c.req.valid("param");
    const asked = { workspaceId, jobId: c.req.valid("query").job_id, isPulumi: true };
    const withPermit = permitFor(c, broker);
    const { jobId } = await withPermit(() => requireWorkspaceAccess(broker, c.get("actor"), asked));
    const write = {
      workspaceId,
      jobId,
      lockId: null,
      needsLock: false,
      contentMd5: requestHeader(c, "content-md5"),
      isTerraform: false,
    };
    await withPermit(() => requireWritable(broker.db, c.get("actor").orgId, write));
    const pieces = streamBody(c, maxBytes(c.get("rule")));
    await writeState(broker, c.get("actor"), { write, pieces, withPermit });
    return c.body(null, 200);
  });
};
