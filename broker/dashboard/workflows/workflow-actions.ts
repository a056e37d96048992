import { html } from "hono/html";
import {
  cancelWorkflowRoute,
  getApprovalContentsRoute,
  respondRoute,
  resumeWorkflowRoute,
  retryStepRoute,
  skipStepRoute,
  updateWorkflowRoute,
} from "../../../shared/api/control-workflows.ts";
import type { ShownApproval, ShownStep, WholeWorkflow } from "../../../shared/api/workflow.ts";
import { getStepRoute, getWorkflowRoute } from "../../../shared/api/workflows.ts";
import { problem } from "../../../shared/problem.ts";
import { operatingPermissions } from "../../../shared/queue-acts.ts";
import type { Action, View } from "../page.ts";
import { choiceField, textField } from "../parts/fields.ts";
import { notNow } from "../parts/not-now.ts";
import { approvalPlan } from "./approval-plan.ts";

const path = "/workflows/{workflow_id}";
const stepPath = `${path}/steps/{step_id}` as const;
const paramsOf = (view: View) => ({ workflow_id: view.param("workflow_id") });
const ofStep = (view: View) => ({ ...paramsOf(view), step_id: view.param("step_id") });
const placeOf = (view: View): string => `/workflows/${view.param("workflow_id")}`;

/** As the API does: what it asks depends on whose the workflow is. */
const { installs: permission, ...others } = operatingPermissions;
const operating = { permission, or: Object.values(others) };

/** The workflow, for who may operate it. */
async function findOperated(view: View): Promise<WholeWorkflow> {
  const workflow = await view.ask(getWorkflowRoute, { params: paramsOf(view) });
  const needed = operatingPermissions[workflow.owner_type];
  if (view.can(needed)) return workflow;
  throw problem.forbidden("permission_missing", `This token lacks the permission ${needed}.`);
}

async function findApproval(view: View): Promise<{ step: ShownStep; approval: ShownApproval }> {
  const step = await view.ask(getStepRoute, { params: ofStep(view) });
  if (step.approval === undefined || step.status.status !== "approval-awaiting")
    throw notNow(`${step.name} waits for no approval: it is ${step.status.status}.`);
  return { step, approval: step.approval };
}

const note = (entered: URLSearchParams) =>
  textField({ name: "note", label: "Note", hint: "Why; kept with the answer." }, entered);
/** The plan that was shown: another one by then is refused. */
const digestField = ({ plan_digest: digest }: ShownApproval) =>
  html`<input type="hidden" name="digest" value="${digest}" />`;

async function respond(
  view: View,
  form: URLSearchParams,
  type: "approve" | "deny" | "deny-skip-current" | "deny-skip-current-and-dependents" | "retry",
): Promise<void> {
  const { approval } = await findApproval(view);
  const digest = form.get("digest") ?? "";
  await view.ask(respondRoute, {
    params: { ...ofStep(view), approval_id: approval.id },
    body: {
      response_type: type,
      note: form.get("note") ?? "",
      ...(/^[0-9a-f]{64}$/.test(digest) && { plan_digest: digest }),
    },
  });
}

const approve: Action = {
  path: `${stepPath}/approve`,
  permission: "approvals.respond",
  async ask(view, entered) {
    const { step, approval } = await findApproval(view);
    const params = { ...ofStep(view), approval_id: approval.id };
    const plan = await view.ask(getApprovalContentsRoute, { params });
    return {
      title: step.name,
      text: html`<p>
          This is done, byte for byte, in the customer's account. Digest
          <code>${approval.plan_digest.slice(0, 16)}</code>
        </p>
        ${approvalPlan(`The plan of ${step.name}`, plan)}`,
      fields: html`${note(entered)} ${digestField(approval)}`,
      button: "Approve the plan",
      back: placeOf(view),
    };
  },
  async run(view, form) {
    await respond(view, form, "approve");
    return {
      said: "The plan is approved.",
      to: placeOf(view),
      undo: { label: "Cancel the workflow…", action: `${placeOf(view)}/cancel` },
    };
  },
};

const denials = [
  ["deny", "the workflow ends as an error"],
  ["deny-skip-current", "the rest of its group is skipped, the workflow goes on"],
  ["retry", "another plan is made, and asked for again"],
] as const;

const deny: Action = {
  path: `${stepPath}/deny`,
  permission: "approvals.respond",
  async ask(view, entered) {
    const { step, approval } = await findApproval(view);
    return {
      title: `Deny: ${step.name}`,
      text: html`<p>Nothing of this plan is done.</p>`,
      fields: html`${choiceField({ name: "type", label: "Then", values: denials }, entered)}
      ${note(entered)} ${digestField(approval)}`,
      button: "Deny the plan",
      isDangerous: true,
      back: placeOf(view),
    };
  },
  async run(view, form) {
    const [type] = denials.find(([one]) => one === form.get("type")) ?? denials[0];
    await respond(view, form, type);
    return { said: "The plan is denied.", to: placeOf(view) };
  },
};

const retry: Action = {
  path: `${stepPath}/retry`,
  ...operating,
  async ask(view) {
    await findOperated(view);
    const step = await view.ask(getStepRoute, { params: ofStep(view) });
    return {
      title: `Retry: ${step.name}`,
      text: html`<p>It is tried again, and the workflow goes on from it.</p>`,
      button: "Retry the step",
      back: placeOf(view),
    };
  },
  async run(view) {
    await view.ask(retryStepRoute, { params: ofStep(view) });
    return { said: "The step is tried again.", to: placeOf(view) };
  },
};

const skip: Action = {
  path: `${stepPath}/skip`,
  ...operating,
  async ask(view) {
    await findOperated(view);
    const step = await view.ask(getStepRoute, { params: ofStep(view) });
    return {
      title: `Skip: ${step.name}`,
      text: html`<p>It is passed over, and the workflow goes on after it.</p>`,
      button: "Skip the step",
      isDangerous: true,
      back: placeOf(view),
    };
  },
  async run(view) {
    await view.ask(skipStepRoute, { params: ofStep(view) });
    return { said: "The step is passed over.", to: placeOf(view) };
  },
};

const approveAll: Action = {
  path: `${path}/approve-all`,
  permission: "approvals.respond",
  async ask(view) {
    const workflow = await view.ask(getWorkflowRoute, { params: paramsOf(view) });
    return {
      title: `Approve all of: ${workflow.name}`,
      text: html`<p>What waits now is approved, and whatever it asks for later, unseen.</p>`,
      button: "Approve all",
      isDangerous: true,
      back: placeOf(view),
    };
  },
  async run(view) {
    const body = { approval_option: "approve-all" as const };
    await view.ask(updateWorkflowRoute, { params: paramsOf(view), body });
    return { said: "Everything of this workflow is approved.", to: placeOf(view) };
  },
};

const resume: Action = {
  path: `${path}/resume`,
  ...operating,
  async ask(view) {
    const workflow = await findOperated(view);
    return {
      title: `Resume: ${workflow.name}`,
      text: html`<p>
        It goes on at the first step that did not succeed, when it is its turn in its lane.
      </p>`,
      button: "Resume the workflow",
      back: placeOf(view),
    };
  },
  async run(view) {
    await view.ask(resumeWorkflowRoute, { params: paramsOf(view) });
    return {
      said: "It waits for its turn.",
      to: placeOf(view),
      undo: { label: "Cancel it…", action: `${placeOf(view)}/cancel` },
    };
  },
};

const cancel: Action = {
  path: `${path}/cancel`,
  ...operating,
  async ask(view) {
    const workflow = await findOperated(view);
    if (workflow.finished) throw notNow(`It has finished: it is ${workflow.status.status}.`);
    return {
      title: `Cancel: ${workflow.name}`,
      text: html`<p>
        Nothing more begins, and its jobs are stopped. What they have changed so far stays changed.
      </p>`,
      button: "Cancel the workflow",
      isDangerous: true,
      back: placeOf(view),
    };
  },
  async run(view) {
    await view.ask(cancelWorkflowRoute, { params: paramsOf(view) });
    return { said: "It is cancelled as soon as its jobs have stopped.", to: placeOf(view) };
  },
};

/** Everything that can be done with a workflow. */
export const workflowActions: readonly Action[] = [
  approve,
  deny,
  retry,
  skip,
  approveAll,
  resume,
  cancel,
];
