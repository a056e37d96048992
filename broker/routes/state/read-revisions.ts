import {
  diffStatesRoute,
  getStateContentsRoute,
  getStateRoute,
  listStateOutputsRoute,
  listStateResourcesRoute,
  listStatesRoute,
} from "../../../shared/api/terraform-revisions.ts";
import { problem } from "../../../shared/problem.ts";
import type { Broker } from "../../broker.ts";
import { answerBytes } from "../../http/answer/answer-bytes.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { answerList } from "../../http/answer/answer-list.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { compareRevisions } from "../../workspaces/compare-revisions.ts";
import { typeOfState } from "../../workspaces/open-current-state.ts";
import { findStateJson, listStates } from "../../workspaces/queries.ts";
import { openStored } from "../../workspaces/read-parts.ts";
import { readSummary } from "../../workspaces/read-summary.ts";
import { requireState, requireWorkspace, toState } from "../../workspaces/show-workspace.ts";

type StateParams = { readonly workspace_id: string; readonly state_id: string };

/** GET …/states, …/states/{state_id}, …/contents, …/resources, …/outputs; GET …/diff */
export const readRevisions: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(
    listStatesRoute,
    async ({ c, orgId, params: { workspace_id: workspaceId }, query }) => {
      const workspace = await requireWorkspace(db, orgId, workspaceId);
      return await answerList(c, query, {
        read: (request) => listStates(db, orgId, { workspaceId, ...request }),
        toItem: (row) => toState(workspace, row),
      });
    },
  );
  app.handle(getStateRoute, async ({ c, params }) => {
    const { workspace, state } = await named(c, broker, params);
    return toState(workspace, state);
  });
  app.handle(getStateContentsRoute, async ({ c, params }) => {
    if (params.state_id.startsWith("tfj_"))
      return answerBytes(c, broker, openStored(broker, await shown(broker, c, params)));
    const { state } = await named(c, broker, params);
    return answerBytes(c, broker, openStored(broker, state), typeOfState(state));
  });
  app.handle(listStateResourcesRoute, async ({ c, params, withPermit }) => {
    const { state } = await withPermit(async () => {
      const isJson = params.state_id.startsWith("tfj_");
      if (isJson) await shown(broker, c, params);
      return await named(c, broker, isJson ? { ...params, state_id: "current" } : params);
    });
    return answerFinished(c, broker, [
      await summaryOf(c, broker, { wanted: "resources", states: [state] }),
    ]);
  });
  app.handle(listStateOutputsRoute, async ({ c, params, withPermit }) => {
    const { state } = await withPermit(() => named(c, broker, params));
    return answerFinished(c, broker, [
      await summaryOf(c, broker, { wanted: "outputs", states: [state] }),
    ]);
  });
  app.handle(
    diffStatesRoute,
    async ({ c, orgId, params: { workspace_id: workspaceId }, query, withPermit }) => {
      const asking = { workspaceId, withPermit: withPermit, gone: c.req.raw.signal };
      const asked = { ...asking, ...query };
      return answerFinished(c, broker, [await compareRevisions(broker, orgId, asked)]);
    },
  );
};

const summaryOf = (
  c: AppContext,
  broker: Broker,
  asked: Omit<Parameters<typeof readSummary>[1], "gone">,
) => readSummary(broker, { ...asked, gone: c.req.raw.signal });

/** The output of `terraform show -json` of this id, which is kept until the next. */
async function shown({ db }: Broker, c: AppContext, params: StateParams) {
  const { orgId } = c.get("actor");
  await requireWorkspace(db, orgId, params.workspace_id);
  const stored = await findStateJson(db, orgId, params.workspace_id);
  if (stored?.id !== params.state_id) throw problem.notFound("state");
  return stored;
}

function named(c: AppContext, { db }: Broker, params: StateParams) {
  const { workspace_id: workspaceId, state_id: stateId } = params;
  return requireState(db, c.get("actor").orgId, { workspaceId, named: stateId });
}
