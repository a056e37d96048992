import {
  deleteTerraformStateRoute,
  getTerraformStateRoute,
  writeTerraformStateRoute,
} from "../../../shared/api/terraform-state.ts";
import type { Broker } from "../../broker.ts";
import { answerBytes } from "../../http/answer/answer-bytes.ts";
import { answer } from "../../http/answer/answer.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { maxBytes } from "../../http/body/read-json.ts";
import { streamBody } from "../../http/body/stream-body.ts";
import { requestHeader } from "../../http/gate/request-header.ts";
import { deleteState } from "../../workspaces/manage-workspace.ts";
import { openCurrentState } from "../../workspaces/open-current-state.ts";
import { requireWorkspaceAccess } from "../../workspaces/require-workspace-access.ts";
import { requireWritable, writeState } from "../../workspaces/write-state.ts";

type Query = { readonly workspace_id: string; readonly job_id?: string | undefined };

/** GET, POST, DELETE /v1/terraform-backend: terraform's http backend */
export const terraformBackend: RegisterRoutes = (app, broker) => {
  app.handle(getTerraformStateRoute, async ({ c, orgId, query }) => {
    const { workspaceId } = await reach(c, broker, query);
    const state = await openCurrentState(broker, orgId, workspaceId);
    return state === undefined ? answer(204) : answerBytes(c, broker, state, state.type);
  });
  app.handle(writeTerraformStateRoute, async ({ c, actor, orgId, query, withPermit }) => {
    const { workspaceId, jobId, isSandbox, isPulumi } = await withPermit(() =>
      reach(c, broker, query),
    );
    const write = {
      workspaceId,
      jobId,
      lockId: query.ID ?? null,
      needsLock: !isSandbox,
      contentMd5: requestHeader(c, "content-md5"),
      isTerraform: !isPulumi,
    };
    await withPermit(() => requireWritable(broker.db, orgId, write));
    const pieces = streamBody(c, maxBytes(c.get("rule")));
    await writeState(broker, actor, { write, pieces, withPermit });
  });
  app.handle(deleteTerraformStateRoute, async ({ c, actor, query }) => {
    const { workspaceId } = await reach(c, broker, query);
    const asked = { workspaceId, lockId: query.ID ?? null, reason: query.reason ?? "" };
    await deleteState(broker.db, actor, asked);
  });
};

function reach(c: AppContext, broker: Broker, { workspace_id: workspaceId, job_id: jobId }: Query) {
  return requireWorkspaceAccess(broker, c.get("actor"), { workspaceId, jobId });
}
