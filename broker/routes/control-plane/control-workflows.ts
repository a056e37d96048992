import {
  cancelStepRoute,
  cancelWorkflowRoute,
  cancelWorkflowsRoute,
  getApprovalContentsRoute,
  getApprovalRoute,
  respondRoute,
  resumeWorkflowRoute,
  retryInInstallRoute,
  retryStepRoute,
  skipStepRoute,
  updateWorkflowRoute,
} from "../../../shared/api/control-workflows.ts";
import { Problem, problem } from "../../../shared/problem.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { hasVersion } from "../../http/answer/etag.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { requireWithin } from "../../tokens/bound/require-within.ts";
import {
  cancelWorkflow,
  cancelWorkflowStep,
  respondToApproval,
  resumeWorkflow,
  retryStep,
  skipStep,
  updateWorkflow,
} from "../../workflows/control-workflow.ts";
import { requireOperates } from "../../workflows/require-operates.ts";
import {
  requireSnapshot,
  showApproval,
  showApprovalContents,
  showVersionedWorkflow,
} from "../../workflows/show-workflow.ts";

/** /v1/workflows/…: cancel, retry, skip, resume, and approvals */
export const controlWorkflows: RegisterRoutes = (app, broker) => {
  cancel(app, broker);
  redo(app, broker);
  answer(app, broker);
};

const cancel: RegisterRoutes = (app, broker) => {
  app.handle(cancelWorkflowRoute, async ({ actor, orgId, params: { workflow_id: id } }) => {
    await requireOperates(broker.db, actor, id);
    await cancelWorkflow(broker, orgId, id);
    return { workflow_id: id };
  });
  app.handle(cancelWorkflowsRoute, async ({ actor, body }) => {
    const outcomes = [];
    for (const id of new Set(body.workflow_ids)) {
      const outcome = await requireWithin(broker.db, actor, "workflows", id)
        .then(() => requireOperates(broker.db, actor, id))
        .then(() => cancelWorkflow(broker, actor.orgId, id))
        .catch(outcomeOf);
      outcomes.push({ workflow_id: id, outcome });
    }
    const errors = outcomes.flatMap(({ workflow_id, outcome }) => {
      const error = whyLeft.get(outcome);
      return error === undefined ? [] : [{ workflow_id, error }];
    });
    const cancelled = outcomes.filter(({ outcome }) => !whyLeft.has(outcome));
    return { cancelled: cancelled.map((one) => one.workflow_id), errors, outcomes };
  });
  app.handle(cancelStepRoute, async ({ actor, orgId, params }) => {
    const { workflow_id: id, step_id: stepId } = params;
    await requireOperates(broker.db, actor, id);
    await cancelWorkflowStep(broker, orgId, { id, stepId });
    return { workflow_id: id };
  });
};

/** Why one is left as it is. */
const whyLeft: ReadonlyMap<string, string> = new Map([
  ["final", "It has finished."],
  ["not-found", "There is no such workflow."],
  ["forbidden", "You may not operate it."],
]);

function outcomeOf(error: unknown): "final" | "not-found" | "forbidden" {
  if (error instanceof Problem && error.code === "workflow_final") return "final";
  if (error instanceof Problem && error.status === 404) return "not-found";
  if (error instanceof Problem && error.code === "permission_missing") return "forbidden";
  throw error;
}

const redo: RegisterRoutes = (app, broker) => {
  app.handle(retryStepRoute, async ({ actor, params }) => {
    const { workflow_id: id, step_id: stepId } = params;
    await requireOperates(broker.db, actor, id);
    await retryStep(broker, actor, { id, stepId });
    return { workflow_id: id, retryable: true };
  });
  app.handle(skipStepRoute, async ({ actor, params }) => {
    const { workflow_id: id, step_id: stepId } = params;
    await requireOperates(broker.db, actor, id);
    await skipStep(broker, actor, { id, stepId });
    return { workflow_id: id, skippable: true };
  });
  app.handle(retryInInstallRoute, async ({ actor, params, body }) => {
    const { workflow_id: id, step_id: stepId, operation } = body;
    const { workflow } = await requireSnapshot(broker.db, actor.orgId, id);
    if (workflow.owner_id !== params.install_id) throw problem.notFound("workflow");
    await (operation === "skip-step" ? skipStep : retryStep)(broker, actor, { id, stepId });
    return { workflow_id: id };
  });
  app.handle(resumeWorkflowRoute, async ({ actor, params: { workflow_id: id } }) => {
    await requireOperates(broker.db, actor, id);
    await resumeWorkflow(broker, actor, id);
    return { workflow_id: id };
  });
};

const answer: RegisterRoutes = (app, broker) => {
  app.handle(
    updateWorkflowRoute,
    async ({
      c,
      actor: { orgId, id: byId },
      params: { workflow_id: id },
      body: { approval_option: option },
      requiredVersion,
    }) => {
      await updateWorkflow(broker, orgId, { id, version: requiredVersion(), option, byId });
      const { shown, version } = await showVersionedWorkflow(broker.db, orgId, id);
      hasVersion(c, version);
      return shown;
    },
  );
  app.handle(
    getApprovalRoute,
    async ({ orgId, params }) => await showApproval(broker.db, orgId, approvalIn(params)),
  );
  app.handle(getApprovalContentsRoute, async ({ c, orgId, params }) => {
    const at = approvalIn(params);
    return answerFinished(c, broker, [await showApprovalContents(broker, orgId, at)]);
  });
  app.handle(respondRoute, async ({ actor, params, body }) => {
    const { response_type: type, note, plan_digest: digest } = body;
    const made = await respondToApproval(broker, actor, {
      ...approvalIn(params),
      response: { type, note, byId: actor.id, digest },
    });
    return { id: made.id, type, note, outcome: made.outcome };
  });
};

const approvalIn = (params: {
  readonly workflow_id: string;
  readonly step_id: string;
  readonly approval_id: string;
}) => ({ id: params.workflow_id, stepId: params.step_id, approvalId: params.approval_id });
