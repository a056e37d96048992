import type { DeployStatus, DeployType } from "../../../shared/deploy-statuses.ts";
import type { CompositeFault, Instant } from "./workflow-rows.ts";

/** What of a build is deployed: where it is, and by which digest. */
export type DeployedArtifact = {
  readonly registry?: string;
  readonly repository?: string;
  readonly tag?: string;
  readonly digest?: string;
  readonly media_type?: string;
  /** Of an image: the Secret by which clusters of the install pull it. */
  readonly pull_secret?: string;
  /** Where it was built, of an image that was copied from there. */
  readonly source?: { readonly registry: string; readonly repository: string };
  /** The paths below `.svc` that its templates read. */
  readonly references?: readonly string[] | undefined;
};

/** How many objects a plan adds, changes, replaces and removes. */
export type ChangeCounts = {
  readonly added: number;
  readonly changed: number;
  readonly replaced: number;
  readonly removed: number;
};

/** A row of `install_deploys`: a deploy of a component, or a run of the sandbox where it has none. */
export type DeployRow = {
  readonly id: string;
  readonly install_id: string;
  readonly target_id: string;
  readonly component_id: string | null;
  readonly component_name: string;
  readonly component_type: string;
  readonly type: DeployType;
  app_config_id: string | null;
  build_id: string | null;
  artifact: DeployedArtifact;
  readonly workflow_id: string;
  workflow_step_id: string | null;
  plan_job_id: string | null;
  apply_job_id: string | null;
  outputs_job_id: string | null;
  status: DeployStatus;
  status_description: string;
  status_at: Instant;
  composite_error: CompositeFault | null;
  readonly plan_only: boolean;
  role: string;
  changes: Partial<ChangeCounts>;
  values_digest: string;
  revision: number | null;
  planned_at: Instant | null;
  applied_at: Instant | null;
  readonly created_at: Instant;
  started_at: Instant | null;
  finished_at: Instant | null;
  readonly created_by_id: string;
};

/** What the last look at something deployed found that differs from what was deployed. */
export type Drift = ChangeCounts & {
  readonly workflow_id: string;
  readonly deploy_id: string;
  readonly at: Instant;
};

/** A block, or a lock, which a job may have taken. */
export type HeldWorkspace =
  | { readonly why: string }
  | { readonly who: string; readonly job_id: string | null };

/** A row of `install_components`, and how its workspace stands. */
export type TargetRow = {
  readonly id: string;
  /** Null: the sandbox. */
  readonly component_id: string | null;
  readonly name: string;
  readonly workspace_id: string;
  readonly chart_id: string;
  status: DeployStatus | "";
  status_description: string;
  status_at: Instant;
  deployed_id: string | null;
  /** When that was applied. */
  readonly deployed_at: Instant | null;
  /** Something of it may be there, though it did not come to a good end. */
  touched_id: string | null;
  latest_id: string | null;
  drift: Drift | null;
  /** Of its workspace's state. */
  readonly revision: number;
  /** Who holds its workspace, so that nobody gets its lock: a block with its reason, or whoever has locked it. */
  readonly held: HeldWorkspace | null;
  /** A job of another workflow works on it. */
  readonly is_busy: boolean;
};
