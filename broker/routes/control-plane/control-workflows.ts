import {
  cancelStepRoute,
  cancelWorkflowRoute,
  cancelWorkflowsRoute,
  getApprovalContentsRoute,
  getApprovalRoute,
  respondRoute,
  resumeWorkflowRoute,
  retryStepRoute,
  skipStepRoute,
  updateWorkflowRoute,
} from "../../../shared/api/control-workflows.ts";
import { Problem } from "../../../shared/problem.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { hasVersion, requiredVersion } from "../../http/answer/etag.ts";
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
import {
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
  app.openapi(cancelWorkflowRoute, async (c) => {
    const { workflow_id: id } = c.req.valid("param");
    await cancelWorkflow(broker, c.get("actor").orgId, id);
    return c.json({ workflow_id: id }, 202);
  });
  app.openapi(cancelWorkflowsRoute, async (c) => {
    const actor = c.get("actor");
    const outcomes = [];
    for (const id of new Set(c.req.valid("json").workflow_ids)) {
      const outcome = await requireWithin(broker.db, actor, "workflows", id)
        .then(() => cancelWorkflow(broker, actor.orgId, id))
        .catch(outcomeOf);
      outcomes.push({ workflow_id: id, outcome });
    }
    return c.json(outcomes, 200);
  });
  app.openapi(cancelStepRoute, async (c) => {
    const { workflow_id: id, step_id: stepId } = c.req.valid("param");
    await cancelWorkflowStep(broker, c.get("actor").orgId, { id, stepId });
    return c.json({ workflow_id: id }, 202);
  });
};

function outcomeOf(error: unknown): "final" | "not-found" {
  if (error instanceof Problem && error.code === "workflow_final") return "final";
  if (error instanceof Problem && error.status === 404) return "not-found";
  throw error;
}

const redo: RegisterRoutes = (app, broker) => {
  app.openapi(retryStepRoute, async (c) => {
    const { workflow_id: id, step_id: stepId } = c.req.valid("param");
    await retryStep(broker, c.get("actor"), { id, stepId });
    return c.json({ workflow_id: id, retryable: true }, 201);
  });
  app.openapi(skipStepRoute, async (c) => {
    const { workflow_id: id, step_id: stepId } = c.req.valid("param");
    await skipStep(broker, c.get("actor"), { id, stepId });
    return c.json({ workflow_id: id, skippable: true }, 201);
  });
  app.openapi(resumeWorkflowRoute, async (c) => {
    const { workflow_id: id } = c.req.valid("param");
    await resumeWorkflow(broker, c.get("actor"), id);
    return c.json({ workflow_id: id }, 201);
  });
};

const answer: RegisterRoutes = (app, broker) => {
  app.openapi(updateWorkflowRoute, async (c) => {
    const { orgId, id: byId } = c.get("actor");
    const { workflow_id: id } = c.req.valid("param");
    const { approval_option: option } = c.req.valid("json");
    await updateWorkflow(broker, orgId, { id, version: requiredVersion(c), option, byId });
    const { shown, version } = await showVersionedWorkflow(broker.db, orgId, id);
    hasVersion(c, version);
    return c.json(shown, 200);
  });
  app.openapi(getApprovalRoute, async (c) => {
    return c.json(
      await showApproval(broker.db, c.get("actor").orgId, approvalIn(c.req.valid("param"))),
      200,
    );
  });
  app.openapi(getApprovalContentsRoute, async (c) => {
    const at = approvalIn(c.req.valid("param"));
    return answerFinished(c, broker, [
      await showApprovalContents(broker, c.get("actor").orgId, at),
    ]);
  });
  app.openapi(respondRoute, async (c) => {
    const actor = c.get("actor");
    const { response_type: type, note, plan_digest: digest } = c.req.valid("json");
    const made = await respondToApproval(broker, actor, {
      ...approvalIn(c.req.valid("param")),
      response: { type, note, byId: actor.id, digest },
    });
    return c.json({ id: made.id, type, note, outcome: made.outcome }, 201);
  });
};

const approvalIn = (params: {
  readonly workflow_id: string;
  readonly step_id: string;
  readonly approval_id: string;
}) => ({ id: params.workflow_id, stepId: params.step_id, approvalId: params.approval_id });
