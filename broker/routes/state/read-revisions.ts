import {
  diffStatesRoute,
  getStateContentsRoute,
  getStateRoute,
  listStateOutputsRoute,
  listStateResourcesRoute,
  listStatesRoute,
} from "../../../shared/api/terraform-revisions.ts";
import type { Broker } from "../../broker.ts";
import { answerBytes } from "../../http/answer/answer-bytes.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { permitFor } from "../../http/gate/with-permit.ts";
import { compareRevisions } from "../../workspaces/compare-revisions.ts";
import { typeOfState } from "../../workspaces/open-current-state.ts";
import { listStates } from "../../workspaces/queries.ts";
import { openStored } from "../../workspaces/read-parts.ts";
import { readSummary } from "../../workspaces/read-summary.ts";
import { requireState, requireWorkspace, toState } from "../../workspaces/show-workspace.ts";

type StateParams = { readonly workspace_id: string; readonly state_id: string };

/** GET …/states, …/states/{state_id}, …/contents, …/resources, …/outputs; GET …/diff */
export const readRevisions: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.openapi(listStatesRoute, async (c) => {
    const { cursor, limit } = c.req.valid("query");
    const { after } = readPage({ cursor, limit }, {});
    const { orgId } = c.get("actor");
    const { workspace_id: workspaceId } = c.req.valid("param");
    const workspace = await requireWorkspace(db, orgId, workspaceId);
    const rows = await listStates(db, orgId, { workspaceId, after, limit: limit + 1 });
    const toItem = (row: (typeof rows)[number]) => toState(workspace, row);
    return c.json(toPage(c, rows, { limit, filters: {}, toItem }), 200);
  });
  app.openapi(getStateRoute, async (c) => {
    const { workspace, state } = await named(c, broker, c.req.valid("param"));
    return c.json(toState(workspace, state), 200);
  });
  app.openapi(getStateContentsRoute, async (c) => {
    const { state } = await named(c, broker, c.req.valid("param"));
    return answerBytes(c, broker, openStored(broker, state), typeOfState(state));
  });
  app.openapi(listStateResourcesRoute, async (c) => {
    const { state } = await permitFor(c, broker)(() => named(c, broker, c.req.valid("param")));
    return answerFinished(c, broker, [
      await summaryOf(c, broker, { wanted: "resources", states: [state] }),
    ]);
  });
  app.openapi(listStateOutputsRoute, async (c) => {
    const { state } = await permitFor(c, broker)(() => named(c, broker, c.req.valid("param")));
    return answerFinished(c, broker, [
      await summaryOf(c, broker, { wanted: "outputs", states: [state] }),
    ]);
  });
  app.openapi(diffStatesRoute, async (c) => {
    const { workspace_id: workspaceId } = c.req.valid("param");
    const asking = { workspaceId, withPermit: permitFor(c, broker), gone: c.req.raw.signal };
    const asked = { ...asking, ...c.req.valid("query") };
    return answerFinished(c, broker, [await compareRevisions(broker, c.get("actor").orgId, asked)]);
  });
};

const summaryOf = (
  c: AppContext,
  broker: Broker,
  asked: Omit<Parameters<typeof readSummary>[1], "gone">,
) => readSummary(broker, { ...asked, gone: c.req.raw.signal });

function named(c: AppContext, { db }: Broker, params: StateParams) {
  const { workspace_id: workspaceId, state_id: stateId } = params;
  return requireState(db, c.get("actor").orgId, { workspaceId, named: stateId });
}
