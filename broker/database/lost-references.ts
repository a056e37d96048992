import postgres from "postgres";

/**
 * What each foreign key refers to, of those that a request can find broken: rows of the other table are deleted while the database is
 * in use. A test compares them with the schema and with what is deleted.
 */
export const breakableReferences: Readonly<Record<string, string>> = {
  account_roles_role_id_fkey: "role",
  tokens_role_id_fkey: "role",
  role_policies_role_id_fkey: "role",
  queue_emitters_org_id_queue_id_fkey: "queue",
  queue_signals_org_id_queue_id_fkey: "queue",
  workflows_org_id_queue_id_fkey: "lane",
  log_sequences_org_id_stream_id_fkey: "log stream",
  app_config_sources_org_id_source_id_fkey: "source",
  runner_job_executions_org_id_runner_job_id_fkey: "job",
  action_run_steps_org_id_runner_job_id_fkey: "job",
  registry_logins_org_id_runner_job_id_fkey: "job",
  install_role_usages_org_id_runner_job_id_fkey: "job",
  runner_process_beats_process_id_fkey: "process",
  runner_process_shutdowns_org_id_runner_process_id_fkey: "process",
  runner_rollout_targets_org_id_rollout_id_fkey: "rollout",
  webhook_deliveries_org_id_event_id_fkey: "event",
  webhook_deliveries_org_id_webhook_id_fkey: "webhook",
  webhook_lines_org_id_webhook_id_fkey: "webhook",
  pulumi_passphrases_org_id_workspace_id_fkey: "workspace",
  terraform_rescued_states_org_id_workspace_id_fkey: "workspace",
  terraform_workspace_events_org_id_workspace_id_fkey: "workspace",
  terraform_workspace_locks_org_id_workspace_id_fkey: "workspace",
  terraform_workspace_state_jsons_org_id_workspace_id_fkey: "workspace",
  terraform_workspace_states_org_id_workspace_id_fkey: "workspace",
  shown_plans_org_id_workflow_id_fkey: "workflow",
  workflow_approvals_org_id_workflow_id_fkey: "workflow",
  workflow_approvals_step_id_fkey: "workflow step",
  workflow_givens_org_id_workflow_id_fkey: "workflow",
  workflow_groups_org_id_workflow_id_fkey: "workflow",
  workflow_runs_org_id_workflow_id_fkey: "workflow",
  workflow_steps_group_id_fkey: "workflow group",
  workflow_steps_org_id_workflow_id_fkey: "workflow",
};

/** What a statement referred to that was deleted before it could: the statement changed nothing. */
export function lostReference(error: unknown): string | undefined {
  if (!(error instanceof postgres.PostgresError) || error.code !== "23503") return undefined;
  const { constraint_name: name = "" } = error;
  return Object.hasOwn(breakableReferences, name) ? breakableReferences[name] : undefined;
}
