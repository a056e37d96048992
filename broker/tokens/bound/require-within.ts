import { type Problem, problem } from "../../../shared/problem.ts";
import type { Db } from "../../database/connect.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import type { Actor } from "../actor.ts";
import type { Bound } from "./bound.ts";
import { isWithin, listForeign, type Thing } from "./within.ts";

type Caller = Pick<Actor, "bound" | "orgId">;

/** What the paths of routes name, by the name of the parameter; all else below them is theirs. */
const thingOf: Readonly<Record<string, Thing>> = {
  app_id: "apps",
  install_id: "installs",
  workflow_id: "workflows",
  build_id: "component_builds",
  sandbox_build_id: "component_builds",
  deploy_id: "install_deploys",
  sandbox_run_id: "install_deploys",
  report_id: "policy_reports",
  runner_group_id: "runner_groups",
  runner_id: "runners",
  job_id: "runner_jobs",
  log_stream_id: "log_streams",
  workspace_id: "terraform_workspaces",
  chart_id: "helm_charts",
  release_id: "helm_releases",
};

/** Whether a bound token is let in where the path has these parameters, and where its handler does not check for itself. */
export function isNamed(params: Readonly<Record<string, string>>): boolean {
  return Object.keys(params).some((name) => Object.hasOwn(thingOf, name));
}

/** Refuses with 404 a caller whose token is bound to something else than what the path names. */
export async function requirePathWithin(
  db: Db,
  caller: Caller,
  params: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, id] of Object.entries(params)) {
    const thing = Object.hasOwn(thingOf, name) ? thingOf[name] : undefined;
    if (thing !== undefined) await requireWithin(db, caller, thing, id);
  }
}

/** Refuses with 404 a caller whose token is bound to something that has no part in this thing. */
export async function requireWithin(
  db: Db,
  { bound, orgId }: Caller,
  thing: Thing,
  id: string,
): Promise<void> {
  if (bound === null || (thing === bound.type && id === bound.id)) return;
  if (!(await isWithin(db, orgId, { thing, id, bound }))) throw problem.notFound(words[thing]);
}

/** Refuses with 403 a bound token that gives a new thing to another owner than an install that it reaches. */
export async function requireOwnInstall(
  db: Db,
  { bound, orgId }: Caller,
  owner: { readonly owner_id: string; readonly owner_type: string },
): Promise<void> {
  if (bound === null) return;
  const { owner_type: type, owner_id: id } = owner;
  const isInstalls = type === "installs" || type === "install";
  if (isInstalls && (await isWithin(db, orgId, { thing: "installs", id, bound }))) return;
  throw outside("owner_type must be installs, and owner_id an install that it reaches");
}

/** Refuses with 403 a bound token whose plans name workspaces or charts that it does not reach. */
export async function requireOwnPlans(
  db: Db,
  org: OrgId,
  { bound, names }: { readonly bound: Bound | null; readonly names: readonly string[] },
): Promise<void> {
  if (bound === null || names.length === 0) return;
  const [foreign] = await listForeign(db, org, { ids: names, bound });
  if (foreign !== undefined) throw outside(`the plan names ${foreign}, which is none of these`);
}

/** The refusal of what a bound token may do nowhere, or not so. */
export function outside(why: string): Problem {
  return problem.forbidden(
    "bound_only",
    `This token is bound to one app or install, and reaches only that and its installs: ${why}.`,
  );
}

const words: Readonly<Record<Thing, string>> = {
  apps: "app",
  installs: "install",
  workflows: "workflow",
  component_builds: "build",
  install_deploys: "deploy",
  policy_reports: "report",
  runner_groups: "runner group",
  runners: "runner",
  runner_jobs: "job",
  log_streams: "log stream",
  terraform_workspaces: "workspace",
  helm_charts: "chart",
  helm_releases: "release",
};
