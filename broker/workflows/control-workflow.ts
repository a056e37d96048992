import { problem } from "../../shared/problem.ts";
import { isFinishedWorkflow } from "../../shared/workflow.ts";
import { keyedEnd, keyedId } from "../database/keyed-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Actor } from "../tokens/actor.ts";
import { findChain } from "./find-chain.ts";
import type { LoadedWorkflow } from "./load-workflow.ts";
import { cancelOpenStep, settleCancel } from "./machine/cancel-workflow.ts";
import {
  resumeWorkflow as resumeIt,
  retryStep as retryIt,
  skipStep as skipIt,
} from "./machine/redo.ts";
import { type Answered, respond, type Response, setApprovalOption } from "./machine/respond.ts";
import { requireOther } from "./machine/self-approval.ts";
import type { WorkflowDraft } from "./machine/workflow-draft.ts";
import type { Step } from "./machine/workflow-rows.ts";
import { cancelJob, moveWorkflow, type MovingBroker } from "./move-workflow.ts";

type By = Pick<Actor, "id" | "orgId" | "requestSeed">;
type OfStep = { readonly id: string; readonly stepId: string };

/** Cancels a workflow: nothing more begins, and it is final when its jobs have stopped, or at once without any. 409 once it has finished. */
export async function cancelWorkflow(
  broker: MovingBroker,
  org: OrgId,
  id: string,
): Promise<"cancelling" | "cancelled"> {
  return moveWorkflow(broker, org, {
    id,
    wakes: true,
    decide({ draft, machine }) {
      requireOpen(draft);
      draft.workflow.is_cancelling = true;
      settleCancel(draft, machine);
      return isFinishedWorkflow(draft.workflow.status) ? "cancelled" : "cancelling";
    },
  });
}

/** Cancels one step; its workflow ends as an error. 409 for a step that has ended. */
export async function cancelWorkflowStep(
  broker: MovingBroker,
  org: OrgId,
  { id, stepId }: OfStep,
): Promise<void> {
  const jobIds = await moveWorkflow(broker, org, {
    id,
    wakes: true,
    decide({ draft, machine }) {
      return cancelOpenStep(draft, machine, stepOf(draft, stepId));
    },
  });
  for (const jobId of jobIds) await cancelJob(broker, org, jobId);
}

/** Tries a step that failed again; who does stands behind the workflow from then on. */
export async function retryStep(broker: MovingBroker, by: By, at: OfStep): Promise<void> {
  const end = endOfRun(by, at.stepId);
  await moveStep(broker, by.orgId, {
    at,
    decide({ draft }, step) {
      draft.joinedBy = by.id;
      retryIt(draft, step, end);
    },
  });
}

/** Passes over a step that failed. */
export async function skipStep(broker: MovingBroker, by: By, at: OfStep): Promise<void> {
  const end = endOfRun(by, at.stepId);
  await moveStep(broker, by.orgId, { at, decide: ({ draft }, step) => skipIt(draft, step, end) });
}

/** Goes on with a workflow that ended as an error; who does stands behind it from then on. */
export async function resumeWorkflow(broker: MovingBroker, by: By, id: string): Promise<void> {
  const end = endOfRun(by, id);
  await moveWorkflow(broker, by.orgId, {
    id,
    decide({ draft, machine }) {
      draft.joinedBy = by.id;
      resumeIt(draft, machine, end);
    },
  });
}

const endOfRun = ({ requestSeed }: By, of: string): string | undefined =>
  requestSeed === undefined ? undefined : keyedEnd(requestSeed, of);

type Option = {
  readonly id: string;
  /** 412 where it has moved since. */
  readonly version: number | undefined;
  readonly option: "prompt" | "approve-all";
  readonly byId: string;
};

/** Approves everything of a workflow, or has it ask again. */
export async function updateWorkflow(
  broker: MovingBroker,
  org: OrgId,
  { id, version, ...option }: Option,
): Promise<void> {
  const chain = await findChain(broker.db, option.byId);
  await moveWorkflow(broker, org, {
    id,
    wakes: true,
    decide({ draft, machine }) {
      if (version !== undefined && draft.workflow.version !== version) throw moved();
      requireOpen(draft);
      if (option.option === "approve-all") requireOther(draft.workflow, chain);
      setApprovalOption(draft, machine, { ...option, chain });
    },
  });
}

const moved = (): Error =>
  problem.preconditionFailed("The workflow has changed in the meantime. Read it and try again.");

/** Answers the approval that a step waits for; the first answer counts. */
export async function respondToApproval(
  broker: MovingBroker,
  { orgId: org, requestSeed }: By,
  {
    approvalId,
    response: given,
    ...at
  }: OfStep & { readonly approvalId: string; readonly response: Response },
): Promise<Answered> {
  const response = { ...given, id: keyedId("apr", requestSeed, approvalId) };
  const approver = await findChain(broker.db, response.byId);
  return moveStep(broker, org, {
    at,
    decide({ draft, machine }, step) {
      if (draft.approvalOf(step)?.id !== approvalId) throw problem.notFound("approval");
      if (response.type === "approve") requireOther(draft.workflow, approver);
      return respond(draft, machine, { step, response });
    },
  });
}

function moveStep<Answer>(
  broker: MovingBroker,
  org: OrgId,
  {
    at: { id, stepId },
    decide,
  }: { readonly at: OfStep; readonly decide: (loaded: LoadedWorkflow, step: Step) => Answer },
): Promise<Answer> {
  return moveWorkflow(broker, org, {
    id,
    wakes: true,
    decide: (loaded) => decide(loaded, stepOf(loaded.draft, stepId)),
  });
}

function stepOf(draft: WorkflowDraft, id: string): Step {
  const step = draft.steps.find((one) => one.id === id);
  if (step === undefined) throw problem.notFound("workflow step");
  return step;
}

function requireOpen({ workflow }: WorkflowDraft): void {
  if (isFinishedWorkflow(workflow.status))
    throw problem.conflict(
      "workflow_final",
      `This workflow has finished: it is ${workflow.status}.`,
    );
}
