import { runnerJobType } from "../../../shared/runner-job-types.ts";
import { isFinal } from "../../../shared/runner-job.ts";
import { type BuildFacts, sandboxKey } from "../../builds/build-facts.ts";
import { artifactPlaceOf, type BuildJob, planBuild } from "../../builds/build-plan.ts";
import { builtArtifact } from "../../builds/built-artifact.ts";
import { draftBuildJob } from "../../builds/draft-build-job.ts";
import { endedArtifact } from "../../builds/ended-artifact.ts";
import { endOfLateDeletions, type LateDeletion } from "../../builds/late-deletions.ts";
import { partOf } from "../../builds/part-of.ts";
import { askPolicies } from "../../policies/ask-policies.ts";
import { policiesOfBuild } from "../../policies/policies-of-build.ts";
import type { RegistryConfig } from "../../registry/registry-settings.ts";
import type { Seals } from "../../seals/seals.ts";
import { faultOf, type StepKind, type StepOutcome } from "../machine/step-kind.ts";
import type { WorkflowDraft } from "../machine/workflow-draft.ts";
import type { BuildRow, CompositeFault, Step, StepJob } from "../machine/workflow-rows.ts";
import { afterDeletions } from "./after-deletions.ts";
import { jobOutcome } from "./job-outcome.ts";
import type { DecisionNeeds } from "./kind-environment.ts";
import { waitingWords } from "./waiting-words.ts";

/** What kinds of steps of an app's workflows know besides the workflow. */
export type BuildEnvironment = DecisionNeeds & {
  readonly facts: BuildFacts;
  readonly seals: Seals;
  readonly registry: RegistryConfig | undefined;
  /** The newer build of the same, by the id of the open one whose place it takes. */
  readonly superseded: Readonly<Record<string, string>>;
  /** Artifacts of the app that are being deleted, or were not long ago. */
  readonly deletions: readonly LateDeletion[];
};

/** Builds a component, or the sandbox, by a job of the org's own runner. */
export const buildStep = (env: BuildEnvironment): StepKind => ({
  hasJob: true,
  begin(draft, step) {
    const build = buildOf(draft, step);
    if (build.status === "active") return { kind: "done" }; // of a workflow that is resumed
    build.workflow_step_id = step.id;
    build.started_at ??= draft.now;
    const newer = env.superseded[build.id];
    if (newer !== undefined) return leftTo(newer);
    const planned = planOf(env, build);
    if ("code" in planned) return { kind: "fault", fault: planned };
    const job = draftBuildJob(env, draft, { step, build, ...planned });
    Object.assign(build, {
      status: "building",
      status_description: "",
      status_at: draft.now,
      runner_job_id: job.id,
      artifact: artifactPlaceOf(planned.planned), // what the job is told, whatever is set when it ends
    });
    return { kind: "job", job };
  },
  look(draft, step) {
    const job = draft.jobOf(step);
    if (job === undefined) return { kind: "wait" };
    const build = buildOf(draft, step);
    const newer = env.superseded[build.id];
    if (!isFinal(job.status) || job.is_stopping) {
      if (newer !== undefined && !isFinal(job.status)) draft.leftJobs.push(job.id);
      step.status_description = newer ? supersededBy(newer) : waitingWords(env.facts, job);
      build.status_description = step.status_description;
      return { kind: "wait" };
    }
    const outcome = outcomeOf(env, draft, { step, build, job });
    const isLeft = outcome.kind === "cancelled" || outcome.kind === "wait";
    if (isLeft && newer !== undefined) return leftTo(newer);
    if (outcome.kind !== "done") return outcome;
    const policies = policiesOfBuild(env.facts.config, build);
    const made = { type: "component_builds", id: build.id } as const;
    const judged = askPolicies(draft, { step, owner: made, policies, jobId: job.id });
    if (judged.kind === "wait") build.status_description = step.status_description;
    return judged;
  },
  isHeld: (draft, step) => isInVain(env, draft, step) || !isAllowed(env, draft, step),
  ended(draft, step) {
    const build = buildOf(draft, step);
    if (build.status !== "active") Object.assign(build, endOf(env, draft, { step, build }));
  },
});

/** Why a build is cancelled where a newer one of the same has begun. */
export const supersededBy = (newer: string): string => `the newer build ${newer} took its place`;

const leftTo = (newer: string): StepOutcome =>
  ({ kind: "cancelled", detail: supersededBy(newer), goesOn: true }) as const;

type Ended = { readonly step: Step; readonly build: BuildRow };

/** What a build is when its step has ended; one that is tried again goes on. */
function endOf(
  env: BuildEnvironment,
  { now }: WorkflowDraft,
  { step, build }: Ended,
): Partial<BuildRow> {
  const since = { status_description: step.status_description, status_at: now };
  if (step.result_directive === "retry") return { ...since, status: "planning" };
  const ended = { ...since, finished_at: now, runner_job_id: step.job_id };
  if (step.status !== "success") {
    const isDenied = step.error?.code === "policy_denied";
    const failed = isDenied ? "policy_failed" : "error";
    const status = step.status === "cancelled" ? "cancelled" : failed;
    return { ...ended, status, composite_error: step.error };
  }
  if (!hasArtifact(build)) return { ...ended, status: "active", artifact: {} };
  const made = step.job_id === null ? undefined : madeBy(env, step.job_id);
  if (made === undefined)
    return {
      ...ended,
      status: "error",
      status_description: madeNothing.detail,
      composite_error: madeNothing,
    };
  const former = env.facts.former.get(keyOf(build));
  const artifact = endedArtifact(build.artifact, made, former);
  return { ...ended, status: "active", artifact, no_op: former?.digest === made.digest };
}

/** Whether policies have let pass what the step's job has made. */
function isAllowed({ facts }: BuildEnvironment, draft: WorkflowDraft, step: Step): boolean {
  const build = buildOf(draft, step);
  if (policiesOfBuild(facts.config, build).length === 0) return true;
  return draft.snapshot.policy_checks.some(
    ({ owner_id, runner_job_id, status }) =>
      owner_id === build.id &&
      runner_job_id === step.job_id &&
      (status === "pass" || status === "warn"),
  );
}

function buildOf(draft: WorkflowDraft, step: Step): BuildRow {
  const build = draft.buildOf(step);
  if (build === undefined) throw new Error(`step ${step.id} has no build`);
  return build;
}

type Planned = {
  readonly planned: BuildJob;
  readonly timeoutNs: number;
  readonly runnerId: string;
};

function planOf({ facts, registry }: BuildEnvironment, build: BuildRow): Planned | CompositeFault {
  const { runner, config, former, components } = facts;
  if (registry === undefined)
    return faultOf(
      "build_unavailable",
      "There is no registry for artifacts",
      "This broker has no registry. Whoever runs it sets SVC_REGISTRY to the URL of one; then build again.",
      { retryable: false },
    );
  if (registry.auth === "fixed" && facts.pushLogin === undefined)
    return faultOf(
      "build_unavailable",
      "There is no login to the registry",
      `The org has no login with which builds push to ${registry.server}. Set one: svc registry logins set push. Then build again.`,
    );
  if (runner === undefined)
    return faultOf(
      "runner_unavailable",
      "There is no runner for builds",
      "The org has no runner of its own that takes jobs. Create a runner group of type org with a runner, start its agent, then build again.",
    );
  const part = partOf(config, build);
  if (part === undefined)
    return faultOf(
      "internal",
      "What is to be built is gone",
      `The config has no ${build.component_id === null ? "sandbox" : `component ${build.component_name}`}.`,
      { retryable: false },
    );
  const planned = planBuild({
    org: facts.org,
    app: facts.app,
    part,
    build,
    registry,
    labels: components.get(keyOf(build)) ?? {},
    secrets: facts.secrets,
    brands: config.brands ?? [],
    former: former.get(keyOf(build)),
  });
  if ("code" in planned) return planned;
  const { plans: needed = 1 } = runnerJobType(planned.type);
  if (runner.reads_plans !== null && runner.reads_plans < needed) return outdated(runner.id);
  const timeoutNs = "component" in part ? (part.component.build_timeout ?? 0) : 0;
  return { planned, timeoutNs, runnerId: runner.id };
}

/** Of an agent that does not understand the plan, or did not: one of before says nothing of its plans. */
const outdated = (runnerId?: string): CompositeFault =>
  faultOf(
    "runner_outdated",
    "The agent is older than this build",
    runnerId === undefined
      ? "The agent that took the job is of a version that does not know such builds. Update it, of ours by svc runner update-version. Then build again."
      : `An agent of runner ${runnerId} is of a version that does not know such builds. Update it: svc runner update-version ${runnerId}. Then build again.`,
    { retryable: false },
  );

const keyOf = ({ component_id: id }: BuildRow): string => id ?? sandboxKey;

/** What passes by itself: it is tried again. */
const passing: readonly (string | null)[] = ["network", "rate_limited"];

type Looked = Ended & { readonly job: StepJob };

function outcomeOf(
  env: BuildEnvironment,
  draft: WorkflowDraft,
  { step, build, job }: Looked,
): StepOutcome {
  const outcome = jobOutcome(job);
  if (outcome.kind === "done" && hasArtifact(build)) {
    const made = madeBy(env, job.id);
    if (made === undefined) return { kind: "fault", fault: madeNothing };
    const end = endOfLateDeletions(env.deletions, build, made);
    if (end !== undefined) return afterDeletions(draft, { step, build }, end);
  }
  if (outcome.kind !== "fault") return outcome;
  if (job.class === "unknown_type") return { kind: "fault", fault: outdated() };
  const retryable = outcome.fault.retryable && passing.includes(job.class);
  return { ...outcome, fault: { ...outcome.fault, retryable } };
}

/** Whether what the step's job made may be gone. */
function isInVain(env: BuildEnvironment, draft: WorkflowDraft, step: Step): boolean {
  const made = step.job_id === null ? undefined : madeBy(env, step.job_id);
  return (
    made !== undefined &&
    endOfLateDeletions(env.deletions, buildOf(draft, step), made) !== undefined
  );
}

const madeNothing = faultOf(
  "job_failed",
  "The build made nothing",
  "The job finished and told no digest of an artifact, or more than 256 KiB of outputs. Its runner may be of a version that does not know builds.",
  { retryable: false },
);
/** A component that runs an image as it is has none. */
const hasArtifact = ({ component_type: type }: BuildRow): boolean => type !== "job";

function madeBy({ outputsOf }: BuildEnvironment, jobId: string) {
  return builtArtifact.safeParse(outputsOf(jobId)).data;
}
