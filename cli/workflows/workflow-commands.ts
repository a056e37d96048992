import {
  cancelStepRoute,
  cancelWorkflowRoute,
  listPendingApprovalsRoute,
  resumeWorkflowRoute,
  retryStepRoute,
  skipStepRoute,
} from "../../shared/api/control-workflows.ts";
import { type ShownApproval, workflowStatusSchema } from "../../shared/api/workflow.ts";
import {
  getQueuePositionRoute,
  getWorkflowRoute,
  listWorkflowsRoute,
} from "../../shared/api/workflows.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { type Command, type CommandCall, defineCommand } from "../command.ts";
import { findInstall, installArgs } from "../installs/find-install.ts";
import { defineList } from "../lists/define-list.ts";
import { pageOfListing, pagesOfListing } from "../lists/listing-pages.ts";
import { formatAge } from "../output/format-age.ts";
import { printItem, type View } from "../output/print.ts";
import { approveWorkflow, denyWorkflow } from "./answer-approval.ts";
import { followWorkflow } from "./follow-workflow.ts";
import { showApprovalPlan } from "./show-approval-plan.ts";
import { workflowDetails, workflowLine } from "./workflow-view.ts";

const args = { workflow: { summary: "The workflow's id.", offers: "workflows" } } as const;
const step = {
  step: { value: "STEP", summary: "The step (default: the one that failed)." },
} as const;

const listWorkflows = defineList({
  name: "workflow list",
  summary: "List workflows, newest first: all, or those of an install.",
  args: { install: { ...installArgs.install, isOptional: true } },
  flags: {
    type: { value: "TYPE", summary: "Only of this type, such as provision." },
    status: {
      value: "STATUS",
      choices: workflowStatusSchema.options,
      summary: "Only workflows in this status.",
    },
    parent: { value: "WORKFLOW", summary: "Only those that this workflow started." },
    open: { summary: "Only those that have not finished." },
  },
  examples: [
    {
      does: "List what waits for an approval.",
      run: "svc workflow list --status approval-awaiting",
    },
    { does: "Watch an install's.", run: "svc workflow list acme --watch" },
  ],
  view: workflowLine,
  empty: "No workflows found. Start one: svc action run INSTALL ACTION",
  read: async ({ args, flags, call, page }) => {
    const owner =
      args.install === undefined ? undefined : (await findInstall(call, args.install)).body.id;
    const { type, status, parent: parent_id } = flags;
    const finished = flags.open ? ("false" as const) : undefined;
    const query = { owner_id: owner, parent_id, type, status, finished, ...pagesOfListing(page) };
    return pageOfListing(await call(listWorkflowsRoute, { query }));
  },
});

const approvalLine: View<ShownApproval> = {
  nameOf: ({ id }) => id,
  columns: {
    WORKFLOW: ({ workflow_id: id }) => id,
    STEP: ({ step_name: name }) => name,
    ID: ({ id }) => id,
    AGE: ({ created_at }) => formatAge(created_at),
  },
};

const listApprovals = defineList({
  name: "workflow approvals",
  summary: "List what waits for an approval, newest first.",
  flags: {
    install: { value: "INSTALL", offers: "installs", summary: "Only this install's." },
  },
  examples: [{ does: "Watch what waits.", run: "svc workflow approvals --watch" }],
  view: approvalLine,
  empty: "Nothing waits for an approval.",
  read: async ({ flags: { install }, call, page }) => {
    const owner = install === undefined ? undefined : (await findInstall(call, install)).body.id;
    const query = { owner_id: owner, ...pagesOfListing(page) };
    return pageOfListing(await call(listPendingApprovalsRoute, { query }));
  },
});

const getWorkflow = defineCommand({
  name: "workflow get",
  summary: "Show a workflow and its steps.",
  args,
  examples: [{ does: "Show a workflow.", run: "svc workflow get wfl_…" }],
  run: async ({ args: { workflow }, call, screen }) => {
    const params = { workflow_id: workflow };
    const answer = await call(getWorkflowRoute, { params });
    printItem(screen, answer, workflowDetails);
    if (screen.format !== "table") return;
    for (const { status, approval } of answer.body.steps) {
      if (status.status === "approval-awaiting" && approval != null)
        await showApprovalPlan({ call, screen }, approval);
    }
  },
});

const showPosition = defineCommand({
  name: "workflow position",
  summary: "Show a workflow's position in its lane.",
  args,
  examples: [{ does: "See why it does not start.", run: "svc workflow position wfl_…" }],
  run: async ({ args: { workflow }, call, screen }) => {
    const params = { workflow_id: workflow };
    const { text, body } = await call(getQueuePositionRoute, { params });
    if (screen.format === "json" || screen.format === "ndjson") {
      screen.out(text);
      return;
    }
    for (const ahead of body.signals_ahead)
      screen.out(
        `${ahead.workflow_id} ${ahead.workflow_type}: ${ahead.status}, ${formatAge(ahead.created_at)}`,
      );
    const { position, queue_depth: depth } = body;
    screen.say(
      position === 0
        ? "It does not wait for any other."
        : `${position} of the ${depth} in its lane ${position === 1 ? "is" : "are"} ahead of it.`,
    );
  },
});

const watchWorkflow = defineCommand({
  name: "workflow watch",
  summary: "Follow a workflow's steps until it has finished.",
  codes: [["1", "the workflow did not succeed"]],
  args,
  examples: [{ does: "Follow it.", run: "svc workflow watch wfl_…" }],
  run: async (context) => await followWorkflow(context, context.args.workflow),
});

const retryWorkflow = defineCommand({
  name: "workflow retry",
  summary: "Retry the failed step; the workflow continues from it.",
  args,
  flags: step,
  examples: [{ does: "Try it again.", run: "svc workflow retry wfl_…" }],
  run: async ({ args, flags, call, screen }) => {
    const params = await findFailed(call, args.workflow, flags.step);
    await call(retryStepRoute, { params });
    screen.say(`It is tried again. Watch it: svc workflow watch ${args.workflow}`);
  },
});

const skipStep = defineCommand({
  name: "workflow skip",
  summary: "Skip the failed step; the workflow continues after it.",
  args,
  flags: step,
  examples: [{ does: "Skip it.", run: "svc workflow skip wfl_…" }],
  run: async ({ args, flags, call, screen }) => {
    const params = await findFailed(call, args.workflow, flags.step);
    await call(skipStepRoute, { params });
    screen.say(`It is skipped. Watch the workflow: svc workflow watch ${args.workflow}`);
  },
});

async function findFailed(
  call: CommandCall["call"],
  workflow_id: string,
  stepId: string | undefined,
): Promise<{ readonly workflow_id: string; readonly step_id: string }> {
  if (stepId !== undefined) return { workflow_id, step_id: stepId };
  const { body } = await call(getWorkflowRoute, { params: { workflow_id } });
  const failed = body.steps.find(({ status: { status } }) => status === "failed-pending-retry");
  if (failed !== undefined) return { workflow_id, step_id: failed.id };
  throw new UsageError(
    `No step of this workflow has failed and waits: it is ${body.status.status}.`,
    `See it: svc workflow get ${workflow_id}`,
  );
}

const resumeWorkflow = defineCommand({
  name: "workflow resume",
  summary: "Resume a workflow that ended as an error, at the first step that did not succeed.",
  args,
  examples: [{ does: "Resume it.", run: "svc workflow resume wfl_…" }],
  run: async ({ args: { workflow }, call, screen }) => {
    await call(resumeWorkflowRoute, { params: { workflow_id: workflow } });
    screen.say(`It waits for its turn. Watch it: svc workflow watch ${workflow}`);
  },
});

const cancelWorkflow = defineCommand({
  name: "workflow cancel",
  summary: "Cancel a workflow: no further step starts, and its jobs are stopped.",
  args,
  flags: { step: { value: "STEP", summary: "Cancel one step; the workflow ends as an error." } },
  examples: [{ does: "Cancel it.", run: "svc workflow cancel wfl_…" }],
  run: async ({ args: { workflow: workflow_id }, flags, call, screen }) => {
    if (flags.step === undefined) await call(cancelWorkflowRoute, { params: { workflow_id } });
    else await call(cancelStepRoute, { params: { workflow_id, step_id: flags.step } });
    screen.say(
      `It is cancelled as soon as its jobs have stopped: svc workflow watch ${workflow_id}`,
    );
  },
});

/** The commands of workflows, in the order of help. */
export const workflowCommands: readonly Command[] = [
  listWorkflows,
  getWorkflow,
  watchWorkflow,
  showPosition,
  listApprovals,
  approveWorkflow,
  denyWorkflow,
  retryWorkflow,
  skipStep,
  resumeWorkflow,
  cancelWorkflow,
];
