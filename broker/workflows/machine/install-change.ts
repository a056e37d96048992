/** What a change does to the install besides. */
export type InstallChange = {
  phase?: string;
  appliedConfigId?: string;
  isDeleted?: true;
  state?: Readonly<Record<string, unknown>>;
  /** What its templates of labels give, and these. */
  labels?: Readonly<Record<string, string>>;
  labelTemplates?: Readonly<Record<string, string>>;
  /** What runs of health checks said, by the action's name. */
  health?: Readonly<Record<string, HealthVerdict>>;
  /** The health checks that there are from now on. */
  healthOf?: readonly string[];
  /** What a sync of its secrets told of each. */
  syncedSecrets?: { readonly runner_job_id: string; readonly secrets: object };
};
export type HealthVerdict = {
  readonly status: "healthy" | "degraded";
  readonly run_id: string;
  readonly at: string;
  readonly detail: string;
};
