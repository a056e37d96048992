/** Where plans name what their job's runner may reach with them. What reaches it judges the plan itself. */
const places = [
  ["terraform_backend", "WorkspaceID"],
  ["terraform", "terraform_backend", "WorkspaceID"],
  ["pulumi", "terraform_backend", "WorkspaceID"],
  ["pulumi", "pulumi_backend", "WorkspaceID"],
  ["helm", "helm_chart_id"],
  ["id"],
  ["action_workflow_config_id"],
  ["attrs", "action_workflow_config_id"],
  ["app_config_id"],
] as const;

/** As ids are in a path. */
const id = /^[\w.:-]{1,200}$/;

/** The ids that a plan names, each once: of workspaces, charts, actions' runs and configs. */
export function planNames(plan: unknown): string[] {
  const found = new Set<string>();
  for (const place of places) {
    let at = plan;
    for (const member of place) at = memberOf(at, member);
    if (typeof at === "string" && id.test(at)) found.add(at);
  }
  return [...found];
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name] // an object has members
    : undefined;
}
