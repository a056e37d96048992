import { listPendingApprovalsRoute } from "../../../shared/api/control-workflows.ts";
import {
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
import { answerListing } from "../../http/answer/answer-listing.ts";
import { hasVersion } from "../../http/answer/etag.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { permitFor } from "../../http/gate/with-permit.ts";
import { limitConcurrency } from "../../http/limits/limit-concurrency.ts";
import { requireInstall } from "../../installs/keep-installs.ts";
import { waitMs } from "../../polls/park-poll.ts";
import { awaitWorkflow } from "../../workflows/await-workflow.ts";
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
  app.openapi(listWorkflowsRoute, async (c) => {
    const { owner_id: ownerId, parent_id: parentId, ...asked } = c.req.valid("query");
    return c.json(await listed(c, db, { ...asked, ownerId, parentId }), 200);
  });
  app.openapi(listWorkflowsOfInstallRoute, async (c) => {
    const { install_id: ownerId } = c.req.valid("param");
    await requireInstall(db, c.get("actor").orgId, ownerId);
    return c.json(await listed(c, db, { ...c.req.valid("query"), ownerId }), 200);
  });
  app.openapi(listPendingApprovalsRoute, async (c) => {
    const { orgId, bound } = c.get("actor");
    const { owner_id: ownerId, ...page } = c.req.valid("query");
    const approvals = await answerListing(c, page, {
      filters: { ownerId },
      read: (request: ListRequest) =>
        listPendingApprovals(db, orgId, { ownerId, bound, ...request }),
      toItem: ({ shown }) => shown,
    });
    return c.json(approvals, 200);
  });
};

type Asked = CreatedFilter & {
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly ownerId?: string | undefined;
  readonly parentId?: string | undefined;
  readonly type?: string | undefined;
  readonly status?: string | undefined;
  readonly finished?: "true" | "false" | undefined;
  readonly planonly?: "true" | "false" | undefined;
};

function listed(c: AppContext, db: Broker["db"], asked: Asked) {
  const { orgId, bound } = c.get("actor");
  const { cursor, limit, offset, finished, planonly, ...filters } = asked;
  const filter: WorkflowFilter = {
    ...filters,
    isFinished: finished && finished === "true",
    isPlanOnly: planonly && planonly === "true",
  };
  return answerListing(
    c,
    { cursor, limit, offset },
    {
      filters: filter,
      read: (request: ListRequest) => listWorkflows(db, orgId, { filter, bound, ...request }),
      toItem: toWorkflow,
    },
  );
}

const readOne: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.openapi(getWorkflowRoute, async (c) => {
    const { workflow_id: id } = c.req.valid("param");
    const { shown, version } = await showVersionedWorkflow(db, c.get("actor").orgId, id);
    hasVersion(c, version);
    return c.json(shown, 200);
  });
  app.openapi(awaitWorkflowRoute, async (c) => {
    const { workflow_id: id } = c.req.valid("param");
    const release = limitConcurrency(c, broker, "waits_of_token");
    const shown = await awaitWorkflow(broker, c.get("actor").orgId, id, {
      waitMs: waitMs(c.req.valid("query").wait),
      signal: c.req.raw.signal,
      withPermit: permitFor(c, broker),
    }).finally(release);
    return c.json(shown, 200);
  });
  app.openapi(getQueuePositionRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { workflow_id: id } = c.req.valid("param");
    await requireSnapshot(db, orgId, id);
    const { position, depth, ahead } = await findPlaces(db, orgId, id);
    const signals_ahead = ahead.map((one) => ({
      ...one,
      created_at: one.created_at.toISOString(),
    }));
    return c.json({ position, queue_depth: depth, signals_ahead }, 200);
  });
};

const readSteps: RegisterRoutes = (app, { db }) => {
  app.openapi(listStepsRoute, async (c) => {
    const { workflow_id: id } = c.req.valid("param");
    return c.json(toSteps(await requireSnapshot(db, c.get("actor").orgId, id)), 200);
  });
  app.openapi(getStepRoute, async (c) => {
    const { workflow_id: id, step_id: stepId } = c.req.valid("param");
    const steps = toSteps(await requireSnapshot(db, c.get("actor").orgId, id));
    const step = steps.find((one) => one.id === stepId);
    if (step === undefined) throw problem.notFound("workflow step");
    return c.json(step, 200);
  });
  app.openapi(listStepGroupsRoute, async (c) => {
    const { workflow_id: id } = c.req.valid("param");
    const snapshot = await requireSnapshot(db, c.get("actor").orgId, id);
    return c.json(toWholeWorkflow(snapshot, "").step_groups, 200);
  });
  app.openapi(getStepGroupRoute, async (c) => {
    const { workflow_id: id, group_id: groupId } = c.req.valid("param");
    const snapshot = await requireSnapshot(db, c.get("actor").orgId, id);
    const group = toWholeWorkflow(snapshot, "").step_groups.find((one) => one.id === groupId);
    if (group === undefined) throw problem.notFound("step group");
    return c.json(group, 200);
  });
};
