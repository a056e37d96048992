import { setTimeout as sleep } from "node:timers/promises";
import {
  listPendingApprovalsRoute,
  respondRoute,
  updateWorkflowRoute,
} from "../../shared/api/control-workflows.ts";
import type { ShownApproval } from "../../shared/api/workflow.ts";
import { getWorkflowRoute, listWorkflowsRoute } from "../../shared/api/workflows.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import type { ApprovalResponseType } from "../../shared/workflow-step.ts";
import { type CommandCall, defineCommand } from "../command.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { pageOfListing, pagesOfListing } from "../lists/listing-pages.ts";
import { ask } from "../output/ask.ts";
import { followWorkflow } from "./follow-workflow.ts";
import { approvalParams, showApprovalPlan } from "./show-approval-plan.ts";

const args = {
  workflow: {
    summary: "The workflow's id (default: the only one of the org that waits).",
    offers: "workflows",
    isOptional: true,
  },
} as const;
const flags = {
  step: { value: "STEP", summary: "The step, if several wait." },
  note: { value: "TEXT", summary: "Why; kept with the answer." },
} as const;

export const approveWorkflow = defineCommand({
  name: "workflow approve",
  summary: "Show what a workflow waits to do, and approve it.",
  details:
    "The answer contains the digest of the plan that is shown: if the plan has changed by then, nothing is approved and the exit code is 5.",
  args,
  flags: {
    ...flags,
    yes: { summary: "Do not ask." },
    all: { summary: "Approve everything in this workflow, including later steps." },
    wait: {
      summary: "Follow it then until it has ended; the exit code says how.",
    },
  },
  examples: [{ does: "See the plan, and approve it.", run: "svc workflow approve wfl_…" }],
  run: async ({ args, flags, call, screen }) => {
    const workflow = args.workflow ?? (await findOnly(call));
    if (flags.all) {
      const params = { workflow_id: workflow };
      await call(updateWorkflowRoute, { params, body: { approval_option: "approve-all" } });
      screen.say("Everything of this workflow is approved.");
      return flags.wait ? await followWorkflow({ call, screen }, workflow) : exitCodes.ok.code;
    }
    const approval = await findWaiting(call, workflow, flags.step);
    await showApprovalPlan({ call, screen }, approval);
    if (!flags.yes && !(await ask("Approve it? Only yes is a yes: "))) {
      screen.say(
        `Nothing was approved. Without a question: svc workflow approve ${workflow} --yes`,
      );
      return exitCodes.failed.code;
    }
    await respond({ call, screen }, approval, { type: "approve", note: flags.note ?? "" });
    return flags.wait ? await followWorkflow({ call, screen }, workflow) : exitCodes.ok.code;
  },
});

const denials = {
  workflow: "deny",
  current: "deny-skip-current",
  dependents: "deny-skip-current-and-dependents",
} as const satisfies Readonly<Record<string, ApprovalResponseType>>;

export const denyWorkflow = defineCommand({
  name: "workflow deny",
  summary: "Deny what a workflow waits to do.",
  args,
  flags: {
    ...flags,
    skip: {
      value: "WHAT",
      choices: ["current", "dependents"],
      summary:
        "Skip the rest of its group and continue, instead of ending the workflow; dependents: also skip what depends on it.",
    },
    replan: { summary: "Ask for a new plan instead." },
  },
  examples: [{ does: "Deny it, and say why.", run: "svc workflow deny wfl_… --note 'not today'" }],
  run: async ({ args, flags, call, screen }) => {
    const workflow = args.workflow ?? (await findOnly(call));
    const approval = await findWaiting(call, workflow, flags.step);
    const type = flags.replan ? "retry" : denials[flags.skip ?? "workflow"];
    await respond({ call, screen }, approval, { type, note: flags.note ?? "" });
  },
});

type Speaking = Pick<CommandCall, "call" | "screen">;

const lookMs = 500;
/** A workflow that was just begun soon asks; while one runs, it may take until its plan is made. */
const mostLooks = 20;
const mostLooksWhileOneRuns = 240;

/** The one workflow of the org that waits for an approval. */
async function findOnly(call: CommandCall["call"]): Promise<string> {
  const query = pagesOfListing({});
  let ids: string[] = [];
  for (let n = 0; n < mostLooksWhileOneRuns && ids.length === 0; n++) {
    if (n >= mostLooks && n % 10 === 0 && !(await isOneOpen(call))) break;
    if (n > 0) await sleep(lookMs);
    const { items } = pageOfListing(await call(listPendingApprovalsRoute, { query })).body;
    ids = [...new Set(items.map(({ workflow_id: id }) => id))];
  }
  const [first, second] = ids;
  if (first === undefined) throw new UsageError("Nothing waits for an approval.");
  if (second !== undefined)
    throw new UsageError("Several workflows wait for an approval.", `Name one: ${ids.join(", ")}`);
  return first;
}

/** Whether a workflow of the org is open, which may ask yet. */
async function isOneOpen(call: CommandCall["call"]): Promise<boolean> {
  const query = { ...pagesOfListing({}), finished: "false", limit: "1" } as const;
  return pageOfListing(await call(listWorkflowsRoute, { query })).body.items.length > 0;
}

async function findWaiting(
  call: CommandCall["call"],
  workflow_id: string,
  stepId: string | undefined,
): Promise<ShownApproval> {
  const { body } = await call(getWorkflowRoute, { params: { workflow_id } });
  const waiting = body.steps.flatMap(({ status: { status }, approval, id }) =>
    status === "approval-awaiting" && approval != null && (stepId ?? id) === id ? [approval] : [],
  );
  const [first, second] = waiting;
  if (first === undefined)
    throw new UsageError(
      `Nothing of this workflow waits for an approval: it is ${body.status.status}.`,
      `See it: svc workflow get ${workflow_id}`,
    );
  if (second !== undefined)
    throw new UsageError(
      "Several steps wait for an approval.",
      `Choose one by --step: ${waiting.map((one) => one.workflow_step_id).join(", ")}`,
    );
  return first;
}

async function respond(
  { call, screen }: Speaking,
  approval: ShownApproval,
  { type, note }: { readonly type: ApprovalResponseType; readonly note: string },
): Promise<void> {
  const { body, text } = await call(respondRoute, {
    params: approvalParams(approval),
    body: { response_type: type, note, plan_digest: approval.plan_digest },
  });
  if (screen.format === "json" || screen.format === "ndjson") screen.out(text);
  const again = body.outcome === "replanned" ? " A new plan is made." : "";
  screen.say(`${approval.step_name}: ${type}.${again}`);
}
