import { planWorkspaces } from "../../shared/plans/plan-workspaces.ts";
import { type RunnerJobType, runnerJobTypes } from "../../shared/runner-job-types.ts";
import type { AgentConfig } from "../config/read-config.ts";
import type { SettingName } from "../config/settings.ts";
import type { JobInfo, Plan } from "../jobs/handler.ts";
import { JobFailure } from "../jobs/job-failure.ts";

type Rules = Pick<AgentConfig, "allowTypes" | "denyTypes" | "allowWorkspaces" | "readOnly">;

/** Why the settings of this agent forbid a job; undefined when they allow it. Decided before the job begins. */
export function refusalByRules(config: Rules, info: JobInfo, plan: Plan): JobFailure | undefined {
  const { type } = info;
  if (config.denyTypes?.has(type) === true) {
    return refused("deny-types", `Jobs of type ${type} are not allowed`);
  }
  if (concernsAgentAlone(type)) return undefined;
  if (config.allowTypes?.has(type) === false) {
    return refused("allow-types", `Jobs of type ${type} are not among the allowed types`);
  }
  if (config.readOnly === "yes" && !isPlanOnly(info, plan)) {
    const words =
      planTypes.has(type) && hasHooks(plan)
        ? `This agent only runs jobs that make a plan, and the plan of this job has hooks, which run scripts`
        : `This agent only runs jobs that make a plan, and ${info.operation || "this"} of ${type} does more`;
    return refused("read-only", words);
  }
  const { allowWorkspaces } = config;
  const named = allowWorkspaces === undefined ? [] : workspacesOf(type, plan);
  const other = named.find((id) => allowWorkspaces?.has(id) === false);
  if (other === undefined) return undefined;
  return refused("allow-workspaces", `The workspace ${other} is not among those that jobs may use`);
}

/** Types with planning operations, which change nothing. */
const planTypes: ReadonlySet<string> = new Set<RunnerJobType>([
  "terraform-deploy",
  "helm-chart-deploy",
  "kubernetes-manifest-deploy",
  "pulumi-deploy",
  "job-deploy",
  "sandbox-terraform",
  "sandbox-pulumi",
  "sandbox-sync-secrets",
  "runner-terraform",
  "runner-helm",
]);
/** Types that only read, whatever their operation is. */
const readingTypes: ReadonlySet<string> = new Set<RunnerJobType>([
  "sandbox-terraform-plan",
  "fetch-image-metadata",
]);

/**
 * Whether a job only plans or reads. The operation is chosen by the caller, so it counts only for types that obey it.
 * Hooks are scripts and may do anything.
 */
export function isPlanOnly(
  { type, operation }: Pick<JobInfo, "type" | "operation">,
  plan: Plan,
): boolean {
  if (hasHooks(plan)) return false;
  const isPlan = operation === "create-apply-plan" || operation === "create-teardown-plan";
  return readingTypes.has(type) || (isPlan && planTypes.has(type));
}

const hookPlaces = [["hooks"], ["terraform", "hooks"]] as const;

function hasHooks(plan: Plan): boolean {
  return hookPlaces.some((place) => {
    const hooks = place.reduce<unknown>(
      (at, name) => (typeof at === "object" && at !== null ? Reflect.get(at, name) : undefined),
      plan,
    );
    return typeof hooks === "object" && hooks !== null && Object.keys(hooks).length > 0;
  });
}

/** Whether jobs of this type concern only the agent: its health, its shutdown. */
export function concernsAgentAlone(type: string): boolean {
  return isKnown(type) && runnerJobTypes[type].group === "operations";
}

const isKnown = (type: string): type is RunnerJobType => Object.hasOwn(runnerJobTypes, type);

function workspacesOf(type: string, plan: Plan): readonly string[] {
  return isKnown(type) ? planWorkspaces(plan, type).ids : [];
}

/** The failure of a job that the owner of this agent does not allow; it names the setting that forbids it. */
export function refused(setting: SettingName, words: string): JobFailure {
  const message = `${words} (setting ${setting} of this agent).`;
  return new JobFailure(message, { reason: "refused", metadata: { class: "policy", setting } });
}
