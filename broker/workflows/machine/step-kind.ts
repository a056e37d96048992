import type { FaultCode } from "../../../shared/fault-codes.ts";
import type { JobDraft, SealedText, SealedTwin, WorkflowDraft } from "./workflow-draft.ts";
import type { CompositeFault, Step } from "./workflow-rows.ts";

/** What somebody is asked to approve: bytes that are kept sealed, and their digest. */
export type PlanToApprove = {
  readonly id: string;
  readonly type: string;
  readonly digest: string;
  readonly contents: SealedText;
  /** What people may see of it. */
  readonly shown: SealedTwin;
};

/** What a planning job has found, as far as the machine decides by it. */
export type FoundPlan = {
  readonly plan: PlanToApprove;
  readonly isNoOp: boolean;
  /** One that changes nothing is passed over with the rest of its group. */
  readonly skipsNoOps: boolean;
  /** Policies were evaluated that let it pass, and nobody else has to. */
  readonly isApprovedByPolicies: boolean;
  /** Somebody is asked, whatever approves by itself. */
  readonly mustBeAsked?: boolean;
  /** What people read where it is only shown. */
  readonly would: string;
  /** What is told of it as drift, where that is looked for and there is some. */
  readonly drift?: Readonly<Record<string, number>>;
};

/** What came of a look at a step. */
export type StepOutcome =
  /** `warning`: what its success leaves undone, in words. */
  | { readonly kind: "done"; readonly warning?: string }
  /** It goes on when it is looked at again; `orElse`: what is wrong once its deadline is over. */
  | { readonly kind: "wait"; readonly orElse?: CompositeFault }
  | { readonly kind: "job"; readonly job: JobDraft }
  /** What it would do is done: its group is passed over. */
  | { readonly kind: "unchanged"; readonly detail: string }
  | { readonly kind: "plan"; readonly plan: PlanToApprove }
  | { readonly kind: "found"; readonly found: FoundPlan }
  | { readonly kind: "fault"; readonly fault: CompositeFault; readonly isTimeout?: true }
  /** `goesOn`: its workflow goes on without it. */
  | { readonly kind: "cancelled"; readonly detail: string; readonly goesOn?: true };

/** How a kind of steps is carried out: a row of a table, to which later kinds are added. */
export type StepKind = {
  /** Its begin enqueues a job: where a runner's queue is full it is put off. */
  readonly hasJob?: true;
  /** It reads outputs of what was done before: it begins when these are written. */
  readonly readsOutputs?: true;
  /** How long it may wait, in milliseconds, of kinds without a job. */
  readonly patienceMs?: (step: Step) => number;
  readonly begin: (draft: WorkflowDraft, step: Step) => StepOutcome;
  /** What came of it since it began. */
  readonly look: (draft: WorkflowDraft, step: Step) => StepOutcome;
  /** Whether its job's good end is not yet its own: a cancel ends it as cancelled then. */
  readonly isHeld?: (draft: WorkflowDraft, step: Step) => boolean;
  /** Why the plan that the step made is not to be carried out any more: another is made. */
  readonly whyStale?: (draft: WorkflowDraft, step: Step) => string | undefined;
  /** Somebody is asked to approve its plan. */
  readonly asked?: (draft: WorkflowDraft, step: Step) => void;
  /** What the end of the step means for its target. */
  readonly ended?: (draft: WorkflowDraft, step: Step, isTimeout: boolean) => void;
};

/** A step as it is generated, and a group of them. */
export type PlannedStep = Pick<Step, "kind" | "name"> & {
  readonly params?: Step["params"];
  readonly execution_type?: Step["execution_type"];
  readonly target_type: string;
  readonly target_id: string;
};
export type PlannedGroup = {
  readonly name: string;
  readonly parallel?: true;
  readonly steps: readonly PlannedStep[];
};

/** Why the jobs of a decision were refused: the runner takes none, or not so many at once. */
export type JobRefusal = "no-runner" | { readonly mostJobs: number };

/** What the machine knows of types and kinds. */
export type Machine = {
  /** Its owner was deleted: what is open of it is cancelled. */
  readonly isOrphaned?: boolean;
  readonly kindOf: (step: Step) => StepKind;
  /** The groups of a workflow, once; or why there are none. */
  readonly generate: (draft: WorkflowDraft) => readonly PlannedGroup[] | CompositeFault;
  /** What the begin and the end of the workflow mean for its owner. */
  readonly began: (draft: WorkflowDraft) => void;
  readonly ended: (draft: WorkflowDraft) => void;
  /** Whether another change of its owner has begun since: what it left cannot be gone on with. */
  readonly isSuperseded?: (draft: WorkflowDraft) => boolean;
  /** Whether another change of its owner waits in the lane: it would have begun before this one goes on. */
  readonly isBehindAnother?: (draft: WorkflowDraft) => boolean;
  /** What the database said of the jobs of a first decision. */
  readonly refusal?: JobRefusal | undefined;
};

/** A fault in the shape of every composite error. */
export function faultOf(
  code: FaultCode,
  title: string,
  detail: string,
  more: { readonly retryable?: boolean; readonly runner_job_id?: string } = {},
): CompositeFault {
  return { code, severity: "error", title, detail, retryable: true, ...more };
}
