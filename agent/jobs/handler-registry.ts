import { runnerJobTypeNames, runnerJobTypes } from "../../shared/runner-job-types.ts";
import { actions } from "../handlers/actions/actions.ts";
import { builds } from "../handlers/builds/builds.ts";
import { clusterJobs } from "../handlers/cluster-jobs/cluster-jobs.ts";
import { healthCheck } from "../handlers/health-check.ts";
import { helm } from "../handlers/helm/helm.ts";
import { images } from "../handlers/images/images.ts";
import { management } from "../handlers/management.ts";
import { manifests } from "../handlers/manifests/manifests.ts";
import { noop } from "../handlers/noop.ts";
import { pulumi } from "../handlers/pulumi/pulumi.ts";
import { secrets } from "../handlers/secrets/secrets.ts";
import { shutDown, updateVersion } from "../handlers/shut-down.ts";
import { sandboxModeOf, simulate } from "../handlers/simulation/simulate.ts";
import { terraform } from "../handlers/terraform/terraform.ts";
import type { Handler, JobInfo, JobWork, Plan } from "./handler.ts";
import { JobFailure } from "./job-failure.ts";

/** All handlers; a new kind of job is a new line here. */
const handlers: readonly Handler[] = [
  noop,
  actions,
  healthCheck,
  shutDown,
  updateVersion,
  management,
  terraform,
  manifests,
  helm,
  clusterJobs,
  builds,
  images,
  secrets,
  pulumi,
];

const byType = new Map<string, Handler>(
  handlers.flatMap((handler) => handler.types.map((type) => [type, handler] as const)),
);

/**
 * Validates the plan and returns the work of a job, or a simulation of it in sandbox mode. Throws JobFailure when the
 * plan is invalid or the type is not supported.
 */
export function workOf(info: JobInfo, plan: Plan, isGroupInSandbox = false): JobWork {
  // Jobs that concern only the agent (health, shutdown) change nothing that the sandbox protects.
  const isForced = isGroupInSandbox && !isAgentsOwn(info.type);
  const mode = isKnown(info.type) ? sandboxModeOf(plan, isForced) : undefined;
  if (mode !== undefined) return { ...simulate(info, plan, mode), timeoutMs: boundOf(info, plan) };
  const work = byType.get(info.type)?.validate(plan, info);
  if (work !== undefined) return work;
  const words = isKnown(info.type)
    ? `This version of the agent does not support jobs of type ${info.type}.`
    : `Unknown job type ${info.type}.`;
  throw new JobFailure(words, { reason: "unknown_type", metadata: { type: info.type } });
}

/** The timeout in the plan. An invalid plan has none; it may still be simulated, because nothing of it runs. */
function boundOf(info: JobInfo, plan: Plan): number | undefined {
  try {
    return byType.get(info.type)?.validate(plan, info).timeoutMs;
  } catch (error) {
    if (error instanceof JobFailure) return undefined;
    throw error;
  }
}

const isAgentsOwn = (type: string): boolean =>
  Object.entries(runnerJobTypes).some(([name, row]) => name === type && row.group === "operations");
const isKnown = (type: string): boolean => runnerJobTypeNames.some((name) => name === type);

/** Whether jobs of a type start work outside of this host that may outlive it: their clean-up must end it. */
export function isRemote(type: string): boolean {
  return byType.get(type)?.isRemote === true;
}

/** The grace periods of a job type, with the defaults. */
export function gracesOf(type: string): {
  readonly stopGraceMs: number;
  readonly killGraceMs?: number;
} {
  const { stopGraceMs = defaultStopGraceMs, killGraceMs } = byType.get(type) ?? {};
  return { stopGraceMs, ...(killGraceMs !== undefined && { killGraceMs }) };
}

const defaultStopGraceMs = 12_000;
