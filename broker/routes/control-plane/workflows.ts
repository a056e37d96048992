import { listPendingApprovalsRoute } from "../../../shared/api/control-workflows.ts";
import {
  awaitStepRoute,
  awaitWorkflowRoute,
  getQueuePositionRoute,
  getStepGroupRoute,
  getStepRoute,
  getWorkflowRoute,
  listStepGroupsRoute,
  listStepsRoute,
  listWorkflowsOfInstallRoute,
  listWorkflowsRoute,
} from "../../../shared/api/workflows.ts";
import { problem } from "../../../shared/problem.ts";
import type { Broker } from "../../broker.ts";
import type { CreatedFilter } from "../../database/created-within.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { deploysOfWorkflow } from "../../deploys/deploys-of-workflow.ts";
import { answerList, type Paging, splitQuery } from "../../http/answer/answer-list.ts";
import { answerPart } from "../../http/answer/answer-part.ts";
import { hasVersion } from "../../http/answer/etag.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { limitConcurrency } from "../../http/limits/limit-concurrency.ts";
import { requireInstall } from "../../installs/keep-installs.ts";
import { waitMs } from "../../polls/park-poll.ts";
import { awaitStep, awaitWorkflow } from "../../workflows/await-workflow.ts";
import { showStep } from "../../workflows/show-step.ts";
import {
  listPendingApprovals,
  requireSnapshot,
  showVersionedWorkflow,
} from "../../workflows/show-workflow.ts";
import { toSteps, toWholeWorkflow, toWorkflow } from "../../workflows/to-workflow.ts";
import {
  findPlaces,
  listWorkflows,
  type WorkflowFilter,
} from "../../workflows/workflow-queries.ts";

/** /v1/workflows and all below it, /v1/installs/{install_id}/workflows */
export const keepWorkflows: RegisterRoutes = (app, broker) => {
  list(app, broker);
  readOne(app, broker);
  readSteps(app, broker);
};

const list: RegisterRoutes = (app, { db }) => {
  app.handle(listWorkflowsRoute, async ({ c, query }) => {
    const { owner_id: ownerId, parent_id: parentId, ...asked } = query;
    return await listed(c, db, { ...asked, ownerId, parentId });
  });
  app.handle(
    listWorkflowsOfInstallRoute,
    async ({ c, orgId, params: { install_id: ownerId }, query }) => {
      await requireInstall(db, orgId, ownerId);
      return await listed(c, db, { ...query, ownerId });
    },
  );
  app.handle(listPendingApprovalsRoute, async ({ c, actor: { orgId, bound }, query }) => {
    const [page, { owner_id: ownerId }] = splitQuery(query);
    const approvals = await answerList(c, page, {
      filters: { ownerId },
      read: (request: ListRequest) =>
        listPendingApprovals(db, orgId, { ownerId, bound, ...request }),
      toItem: ({ shown }) => shown,
    });
    return approvals;
  });
};

type Asked = CreatedFilter &
  Paging & {
    readonly offset: number;
    readonly ownerId?: string | undefined;
    readonly parentId?: string | undefined;
    readonly search?: string | undefined;
    readonly type?: string | undefined;
    readonly status?: string | undefined;
    readonly finished?: "true" | "false" | undefined;
    readonly planonly?: "true" | "false" | undefined;
  };

function listed(c: AppContext, db: Broker["db"], asked: Asked) {
  const { orgId, bound } = c.get("actor");
  const [page, { finished, planonly, ...filters }] = splitQuery(asked);
  const filter: WorkflowFilter = {
    ...filters,
    isFinished: finished && finished === "true",
    isPlanOnly: planonly && planonly === "true",
  };
  return answerList(c, page, {
    filters: filter,
    read: (request: ListRequest) => listWorkflows(db, orgId, { filter, bound, ...request }),
    toItem: toWorkflow,
  });
}

const readOne: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(getWorkflowRoute, async ({ c, actor, orgId, params: { workflow_id: id } }) => {
    const { shown, version } = await showVersionedWorkflow(db, orgId, id);
    hasVersion(c, version); // its deploys move with it
    return { ...shown, ...(await deploysOfWorkflow(db, actor, shown)) };
  });
  app.handle(
    awaitWorkflowRoute,
    async ({ c, orgId, params: { workflow_id: id }, query, withPermit }) => {
      const waiting = { waitMs: waitMs(query.wait), signal: c.req.raw.signal, withPermit };
      const release = limitConcurrency(c, broker, "waits_of_token");
      return await awaitWorkflow(broker, orgId, id, waiting).finally(release);
    },
  );
  app.handle(getQueuePositionRoute, async ({ orgId, params: { workflow_id: id } }) => {
    await requireSnapshot(db, orgId, id);
    const { position, depth, ahead } = await findPlaces(db, orgId, id);
    const signals_ahead = ahead.map((one) => ({
      ...one,
      created_at: one.created_at.toISOString(),
    }));
    return { position, queue_depth: depth, signals_ahead };
  });
};

const readSteps: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(awaitStepRoute, async ({ c, orgId, params, query, withPermit }) => {
    const at = { id: params.workflow_id, stepId: params.step_id };
    const waiting = { waitMs: waitMs(query.wait), signal: c.req.raw.signal, withPermit };
    const release = limitConcurrency(c, broker, "waits_of_token");
    return await awaitStep(broker, orgId, at, waiting).finally(release);
  });
  app.handle(listStepsRoute, async ({ c, orgId, params: { workflow_id: id }, query }) =>
    answerPart(c, query, toSteps(await requireSnapshot(db, orgId, id))),
  );
  app.handle(getStepRoute, async ({ actor, params }) =>
    showStep(broker, actor, { id: params.workflow_id, stepId: params.step_id }),
  );
  app.handle(listStepGroupsRoute, async ({ orgId, params: { workflow_id: id } }) => {
    const snapshot = await requireSnapshot(db, orgId, id);
    return toWholeWorkflow(snapshot, "").step_groups;
  });
  app.handle(getStepGroupRoute, async ({ orgId, params }) => {
    const { workflow_id: id, group_id: groupId } = params;
    const snapshot = await requireSnapshot(db, orgId, id);
    const group = toWholeWorkflow(snapshot, "").step_groups.find((one) => one.id === groupId);
    if (group === undefined) throw problem.notFound("step group");
    return group;
  });
};
