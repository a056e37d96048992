import { runnerJobTypeNames, runnerJobTypes } from "../../shared/runner-job-types.ts";
import { actions } from "../handlers/actions/actions.ts";
import { clusterJobs } from "../handlers/cluster-jobs/cluster-jobs.ts";
import { healthCheck } from "../handlers/health-check.ts";
import { helm } from "../handlers/helm/helm.ts";
import { management } from "../handlers/management.ts";
import { manifests } from "../handlers/manifests/manifests.ts";
import { noop } from "../handlers/noop.ts";
import { shutDown, updateVersion } from "../handlers/shut-down.ts";
import { sandboxModeOf, simulate } from "../handlers/simulation/simulate.ts";
import { terraform } from "../handlers/terraform/terraform.ts";
import type { Handler, JobFacts, JobWork, Plan } from "./handler.ts";
import { JobFailure } from "./job-failure.ts";

/** Every handler there is; a new kind of job is a line here. */
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
];

const byType = new Map<string, Handler>(
  handlers.flatMap((handler) => handler.types.map((type) => [type, handler] as const)),
);

/**
 * The work of a job, or, when its plan or its runner's group is in sandbox mode, of its likeness. Throws JobFailure when
 * the plan is not fit, or nobody here does this kind.
 */
export function workOf(facts: JobFacts, plan: Plan, isGroupInSandbox = false): JobWork {
  // What concerns the agent alone (its health, its end) touches nothing that a sandbox protects.
  const isForced = isGroupInSandbox && !isAgentsOwn(facts.type);
  const mode = isKnown(facts.type) ? sandboxModeOf(plan, isForced) : undefined;
  if (mode !== undefined)
    return { ...simulate(facts, plan, mode), timeoutMs: boundOf(facts, plan) };
  const work = byType.get(facts.type)?.validate(plan, facts);
  if (work !== undefined) return work;
  const words = isKnown(facts.type)
    ? `This version of the agent does not support jobs of type ${facts.type}.`
    : `Unknown job type ${facts.type}.`;
  throw new JobFailure(words, { reason: "unknown_type", metadata: { type: facts.type } });
}

/** The plan's own bound; none of a plan that is not fit, which may be simulated all the same: nothing of it is run. */
function boundOf(facts: JobFacts, plan: Plan): number | undefined {
  try {
    return byType.get(facts.type)?.validate(plan, facts).timeoutMs;
  } catch (error) {
    if (error instanceof JobFailure) return undefined;
    throw error;
  }
}

const isAgentsOwn = (type: string): boolean =>
  Object.entries(runnerJobTypes).some(([name, row]) => name === type && row.group === "operations");
const isKnown = (type: string): boolean => runnerJobTypeNames.some((name) => name === type);

/** Whether what jobs of a type set going may go on without this host: their clean-up ends it. */
export function isRemote(type: string): boolean {
  return byType.get(type)?.isRemote === true;
}

/** What jobs of a type need to come to rest after they were stopped, and of that once they are told to hurry. */
export function gracesOf(type: string): {
  readonly stopGraceMs: number;
  readonly killGraceMs?: number;
} {
  const { stopGraceMs = defaultStopGraceMs, killGraceMs } = byType.get(type) ?? {};
  return { stopGraceMs, ...(killGraceMs !== undefined && { killGraceMs }) };
}

const defaultStopGraceMs = 12_000;
