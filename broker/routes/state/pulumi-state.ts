import {
  getPulumiStateRoute,
  openPulumiStateRoute,
  writePulumiStateRoute,
} from "../../../shared/api/terraform-state.ts";
import { answerBytes } from "../../http/answer/answer-bytes.ts";
import { answer } from "../../http/answer/answer.ts";
import { etagOf, requiredVersion } from "../../http/answer/etag.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { maxBytes } from "../../http/body/read-json.ts";
import { streamBody } from "../../http/body/stream-body.ts";
import { requestHeader } from "../../http/gate/request-header.ts";
import { openCurrentState } from "../../workspaces/open-current-state.ts";
import { openPulumiState } from "../../workspaces/open-pulumi-state.ts";
import { requireWorkspaceAccess } from "../../workspaces/require-workspace-access.ts";
import { writePulumiState } from "../../workspaces/write-pulumi-state.ts";

/** GET, POST /v1/runners/pulumi-state/{workspace_id}; POST …/open */
export const pulumiState: RegisterRoutes = (app, broker) => {
  app.handle(
    getPulumiStateRoute,
    async ({ c, actor, orgId, params: { workspace_id: workspaceId }, query }) => {
      const asked = { workspaceId, jobId: query.job_id, isPulumi: true };
      await requireWorkspaceAccess(broker, actor, asked);
      const state = await openCurrentState(broker, orgId, workspaceId);
      setHeader(c, "etag", etagOf(state?.revision ?? 0));
      const type = "application/octet-stream";
      return state === undefined ? answer(204) : answerBytes(c, broker, state, type);
    },
  );
  app.handle(
    writePulumiStateRoute,
    async ({ c, actor, params: { workspace_id: workspaceId }, query, withPermit }) => {
      const asked = { workspaceId, jobId: query.job_id, isPulumi: true };
      const { jobId } = await withPermit(() => requireWorkspaceAccess(broker, actor, asked));
      await writePulumiState(broker, actor, {
        workspaceId,
        jobId,
        expected: requiredVersion(c),
        contentMd5: requestHeader(c, "content-md5"),
        pieces: streamBody(c, maxBytes(c.get("rule"))),
        withPermit,
      });
    },
  );
  app.handle(
    openPulumiStateRoute,
    async ({ actor, orgId, params: { workspace_id: workspaceId }, query }) => {
      const asked = { workspaceId, jobId: query.job_id, isPulumi: true };
      await requireWorkspaceAccess(broker, actor, asked);
      return await openPulumiState(broker, orgId, workspaceId);
    },
  );
};
