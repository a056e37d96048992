/**
 * Where plans name workspaces, member by member: terraform's, and those that Pulumi keeps its state in. The backend
 * that stands at the top is the job's own tool's. Its member is spelt in two ways.
 */
export const workspacePlaces = [
  { path: ["terraform_backend", "WorkspaceID"], of: "own" },
  { path: ["terraform_backend", "workspaceID"], of: "own" },
  { path: ["terraform", "terraform_backend", "WorkspaceID"], of: "terraform" },
  { path: ["terraform", "terraform_backend", "workspaceID"], of: "terraform" },
  { path: ["sandbox_mode", "terraform", "workspace_id"], of: "terraform" },
  { path: ["pulumi", "workspace_id"], of: "pulumi" },
  { path: ["pulumi", "terraform_backend", "WorkspaceID"], of: "pulumi" },
  { path: ["pulumi", "terraform_backend", "workspaceID"], of: "pulumi" },
  { path: ["pulumi", "pulumi_backend", "WorkspaceID"], of: "pulumi" },
  { path: ["pulumi", "pulumi_backend", "workspace_id"], of: "pulumi" },
  { path: ["pulumi_backend", "WorkspaceID"], of: "pulumi" },
  { path: ["pulumi_backend", "workspace_id"], of: "pulumi" },
] as const;

/** What else a plan names that its job's runner may reach: charts, runs and configs of actions, app configs. */
export const otherPlaces = [
  ["helm", "helm_chart_id"],
  ["helm_chart_id"],
  ["id"],
  ["action_workflow_config_id"],
  ["attrs", "action_workflow_config_id"],
  ["app_config_id"],
] as const;

/** The text at a place of a plan; undefined where there is none. */
export function textAt(plan: unknown, path: readonly string[]): string | undefined {
  let at = plan;
  for (const member of path) at = memberOf(at, member);
  return typeof at === "string" ? at : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name] // an object has members
    : undefined;
}
