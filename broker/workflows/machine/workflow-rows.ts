import type { ActionRunStatus } from "../../../shared/action-run-statuses.ts";
import type { BuildStatus } from "../../../shared/build-statuses.ts";
import type { FaultCode } from "../../../shared/fault-codes.ts";
import type { RunnerJobStatus } from "../../../shared/runner-job.ts";
import type {
  ApprovalResponseType,
  StepDirective,
  WorkflowStepStatus,
} from "../../../shared/workflow-step.ts";
import type { WorkflowStatus } from "../../../shared/workflow.ts";
import type { BuiltArtifact } from "../../builds/built-artifact.ts";

/** Instants are texts as the database writes them: what is not changed goes back as it came. */
export type Instant = string;
type Words = Readonly<Record<string, string>>;
export type Params = Readonly<Record<string, unknown>>;

/** Why something failed: the shape of every `composite_error`. */
export type CompositeFault = {
  readonly code: FaultCode;
  readonly severity: "fatal" | "error" | "warning" | "info";
  readonly title: string;
  readonly detail: string;
  readonly retryable: boolean;
  readonly facts?: Readonly<Record<string, string>>;
  readonly runner_job_id?: string;
  readonly step_id?: string;
};

/** A row of `workflows`. */
export type Workflow = {
  readonly id: string;
  readonly org_id: string;
  readonly type: string;
  readonly owner_type: "installs" | "apps" | "app_branches";
  readonly owner_id: string;
  status: WorkflowStatus;
  status_description: string;
  status_at: Instant;
  readonly role: string;
  readonly plan_only: boolean;
  approval_option: "prompt" | "approve-all";
  readonly metadata: Words;
  readonly params: Params;
  app_config_id: string | null;
  signal_id: string;
  readonly queue_id: string;
  is_cancelling: boolean;
  error: CompositeFault | null;
  faults: number;
  readonly version: number;
  readonly created_at: Instant;
  started_at: Instant | null;
  finished_at: Instant | null;
  readonly created_by_id: string;
  /** The workflow and the step that began it; null: nobody's. */
  readonly parent_id: string | null;
  readonly parent_step_id: string | null;
  /** How many workflows are above it. */
  readonly depth: number;
  /** Its place in the lane is that of an ancestor. */
  readonly shares_place: boolean;
  /** Who stands behind it: ids of accounts and tokens. */
  readonly chain: readonly string[];
  /** Whether these are kept from approving it: by the org as it is, or as it was at the begin. */
  readonly prevents_self_approval: boolean;
  /** Who stands behind approve-all; null: nobody knows, or nobody set it. */
  approve_all_chain: readonly string[] | null;
};

/** What is known of a workflow that a step began. */
export type Child = {
  readonly id: string;
  readonly type: string;
  readonly owner_id: string;
  readonly step_id: string;
  /** Which of the step's children it is; one that is begun again has the same. */
  readonly key: string;
  readonly status: WorkflowStatus;
  readonly status_description: string;
  readonly is_cancelling: boolean;
};

/** A row of `workflow_runs`. */
export type Run = {
  readonly id: string;
  readonly type: "initial" | "retry" | "skip" | "resume";
  status: "pending" | "in-progress" | "success" | "error" | "cancelled";
  readonly start_from_idx: number;
  readonly trigger_step_id: string | null;
  readonly created_at: Instant;
  started_at: Instant | null;
  finished_at: Instant | null;
};

/** A row of `workflow_groups`. */
export type Group = {
  readonly id: string;
  readonly name: string;
  readonly group_idx: number;
  readonly group_retry_idx: number;
  readonly parallel: boolean;
  result_directive: "continue" | "stop" | "retry-group" | "skip-group" | null;
  readonly created_at: Instant;
};

/** A row of `workflow_steps`. */
export type Step = {
  readonly id: string;
  readonly group_id: string;
  readonly idx: number;
  readonly retry_index: number;
  readonly kind: string;
  readonly name: string;
  readonly params: Params;
  execution_type: "system" | "user" | "approval" | "skipped";
  status: WorkflowStepStatus;
  status_description: string;
  status_at: Instant;
  result_directive: StepDirective | null;
  readonly target_type: string;
  /** Empty until the begin of a step whose target is known only then. */
  target_id: string;
  job_id: string | null;
  job_idx: number;
  error: CompositeFault | null;
  is_retried: boolean;
  is_told: boolean;
  deadline_at: Instant | null;
  readonly created_at: Instant;
  started_at: Instant | null;
  finished_at: Instant | null;
};

/** A row of `workflow_approvals`; what is approved comes only with a new one. */
export type Approval = {
  readonly id: string;
  readonly step_id: string;
  readonly type: string;
  readonly plan_digest: string;
  readonly created_at: Instant;
  readonly expires_at: Instant;
  response_id: string | null;
  response_type: ApprovalResponseType | "auto-approve" | null;
  note: string;
  responded_at: Instant | null;
  responded_by_id: string;
};

/** What is known of a step's job. */
export type StepJob = {
  readonly id: string;
  readonly status: RunnerJobStatus;
  readonly status_description: string;
  readonly clock: string | null;
  /** Whether an execution of it may still run. */
  readonly is_stopping: boolean;
  readonly composite_error: Readonly<Record<string, unknown>> | null;
  /** Of which class its failure was, or else for which reason; null where its result says neither. */
  readonly class: string | null;
};

/** A row of `install_action_runs`. */
export type ActionRunRow = {
  readonly id: string;
  readonly install_id: string;
  readonly action_id: string | null;
  readonly action_config_id: string | null;
  readonly name: string;
  workflow_step_id: string | null;
  runner_job_id: string | null;
  readonly trigger_type: string;
  readonly triggered_by_id: string;
  status: ActionRunStatus;
  status_description: string;
  status_at: Instant;
  readonly role: string;
  readonly timeout: number;
  composite_error: CompositeFault | null;
  readonly created_at: Instant;
  started_at: Instant | null;
  finished_at: Instant | null;
  readonly created_by_id: string;
  /** Of the token that the run's job has, as Postgres writes bytes. */
  token_digest: string | null;
};

/** A row of `component_builds`: of a component, or of the sandbox where it has none. */
export type BuildRow = {
  readonly id: string;
  readonly app_id: string;
  readonly component_id: string | null;
  readonly component_config_id: string | null;
  readonly app_config_id: string;
  readonly component_name: string;
  readonly component_type: string;
  readonly workflow_id: string;
  workflow_step_id: string | null;
  runner_job_id: string | null;
  status: BuildStatus;
  status_description: string;
  status_at: Instant;
  composite_error: CompositeFault | null;
  readonly git_ref: string;
  /** It is built also where nothing has changed. */
  readonly is_forced: boolean;
  /** A sync had it built: it takes no other's place. */
  readonly is_by_sync: boolean;
  readonly checksum: string;
  artifact: BuiltArtifact;
  no_op: boolean;
  readonly created_at: Instant;
  started_at: Instant | null;
  finished_at: Instant | null;
  readonly created_by_id: string;
};
