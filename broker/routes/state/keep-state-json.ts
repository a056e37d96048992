import { getStateJsonRoute } from "../../../shared/api/terraform-revisions.ts";
import {
  getPulumiStateRoute,
  writePulumiStateRoute,
  writeStateJsonRoute,
} from "../../../shared/api/terraform-state.ts";
import type { Door } from "../../http/app-types.ts";
import { maxBytes } from "../../http/read-json.ts";
import { requestHeader } from "../../http/request-header.ts";
import { streamBody } from "../../http/stream-body.ts";
import { findStateJson } from "../../workspaces/queries.ts";
import { reachWorkspace } from "../../workspaces/reach-workspace.ts";
import { requireWorkspace } from "../../workspaces/show-workspace.ts";
import { writeStateJson } from "../../workspaces/write-state-json.ts";
import { requireWritable, writeState } from "../../workspaces/write-state.ts";
import { answerCurrentState, answerStored } from "./answer-stored.ts";

/** POST, GET /v1/terraform-workspaces/{workspace_id}/state-json */
export const keepStateJson: Door = (app, broker) => {
  app.openapi(writeStateJsonRoute, async (c) => {
    const { workspace_id: workspaceId } = c.req.valid("param");
    const { job_id: jobId } = c.req.valid("query");
    const where = await reachWorkspace(broker, c.get("actor"), { workspaceId, jobId });
    const pieces = streamBody(c, maxBytes(c.get("rule")));
    await writeStateJson(broker, c.get("actor"), { where, pieces });
    return c.body(null, 200);
  });
  app.openapi(getStateJsonRoute, async (c) => {
    const { workspace_id: workspaceId } = c.req.valid("param");
    const { orgId } = c.get("actor");
    await requireWorkspace(broker.db, orgId, workspaceId);
    const stored = await findStateJson(broker.db, orgId, workspaceId);
    if (stored === undefined) return c.body(null, 204);
    return answerStored(c, broker, stored, "application/json");
  });
};

/** GET, POST /v1/runners/pulumi-state/{workspace_id} */
export const pulumiState: Door = (app, broker) => {
  app.openapi(getPulumiStateRoute, async (c) => {
    const { workspace_id: workspaceId } = c.req.valid("param");
    const { job_id: jobId } = c.req.valid("query");
    await reachWorkspace(broker, c.get("actor"), { workspaceId, jobId });
    return answerCurrentState(c, broker, { workspaceId, type: "application/octet-stream" });
  });
  app.openapi(writePulumiStateRoute, async (c) => {
    const { workspace_id: workspaceId } = c.req.valid("param");
    const { job_id: asked } = c.req.valid("query");
    const { jobId } = await reachWorkspace(broker, c.get("actor"), { workspaceId, jobId: asked });
    const write = {
      workspaceId,
      jobId,
      lockId: null,
      needsLock: false,
      contentMd5: requestHeader(c, "content-md5"),
      isTerraform: false,
    };
    await requireWritable(broker.db, c.get("actor").orgId, write);
    const pieces = streamBody(c, maxBytes(c.get("rule")));
    await writeState(broker, c.get("actor"), { write, pieces });
    return c.body(null, 200);
  });
};
