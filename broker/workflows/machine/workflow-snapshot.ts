import type { DeployRow, TargetRow } from "./deploy-rows.ts";
import type { PolicyCheck } from "./policy-check.ts";
import type {
  ActionRunRow,
  Approval,
  BuildRow,
  Child,
  Group,
  Instant,
  Run,
  Step,
  StepJob,
  Workflow,
} from "./workflow-rows.ts";

/** All that is stored of a workflow, and the database's time. */
export type WorkflowSnapshot = {
  readonly now: Instant;
  readonly workflow: Workflow;
  readonly runs: readonly Run[];
  readonly groups: readonly Group[];
  readonly steps: readonly Step[];
  readonly approvals: readonly Approval[];
  readonly jobs: readonly StepJob[];
  readonly action_runs: readonly ActionRunRow[];
  readonly builds: readonly BuildRow[];
  readonly deploys: readonly DeployRow[];
  /** What its install has of components and of the sandbox; none of an app's. */
  readonly targets: readonly TargetRow[];
  readonly policy_checks: readonly PolicyCheck[];
  /** The newer build of the same, by the id of the one that is open and whose place it takes. */
  readonly superseded_builds: Readonly<Record<string, string>>;
  /** Of all its steps, in the order of their begins. */
  readonly children: readonly Child[];
  /** Whether the workflow that began it goes on no more. */
  readonly is_parent_finished: boolean;
  /** The name of its lane. */
  readonly lane: string;
  /** Of its place in the lane; null: it has none any more. */
  readonly signal_status: string | null;
  /** Whether others wait in its lane. */
  readonly has_waiting: boolean;
  readonly has_live_runner: boolean;
};
