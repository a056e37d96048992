import type { RunnerJobExecutionResult } from "../../shared/api/runner-job-execution.ts";
import type { RunnerJob } from "../../shared/api/runner-job.ts";
import type { RunnerJobOperation, RunnerJobType } from "../../shared/runner-job-types.ts";
import type { CommandCall } from "../command.ts";
import type { Screen } from "../output/screen.ts";

/** Where a command that has something planned calls and speaks. */
export type Terminal = Pick<CommandCall, "call" | "connect" | "screen">;

/** An operation that plans. */
export type PlanOperation = RunnerJobOperation & ("create-apply-plan" | "create-teardown-plan");

/** What a planning job brought. */
export type Planned = {
  readonly hasChanges: boolean;
  /** Why it cannot be applied as it is; empty where it can. */
  readonly obstacle: string;
  /** For programs. */
  readonly summary: Readonly<Record<string, unknown>>;
  /** The plan as people read it. */
  readonly display: string;
  /** What the plan of the job that applies has besides that of the job that planned. */
  readonly approved: object;
  /** More of it, which it can do without. */
  readonly spare: object;
};

/** What the kinds of plan differ in, where people have something planned, are asked, and have exactly that applied. */
export type PlanKind = {
  /** As its commands are called: `terraform` of `svc terraform plan`. */
  readonly noun: string;
  readonly type: RunnerJobType;
  /** Whose the jobs are that people ask for. */
  readonly ownerType: string;
  /** The commands that have a plan made, for words. */
  readonly plansBy: string;
  /** The command that applies what was planned. */
  readonly appliesBy: Readonly<Record<PlanOperation, string>>;
  /** Throws a UsageError when the job has brought no plan. */
  readonly readPlanned: (
    jobId: string,
    result: RunnerJobExecutionResult | undefined,
  ) => Planned | Promise<Planned>;
  readonly showOutputs: (screen: Screen, outputs: Readonly<Record<string, unknown>>) => void;
};

/** What a job is to plan. */
export type PlanDraft = {
  readonly runnerId: string;
  readonly operation: PlanOperation;
  readonly ownerId: string;
  /** The plan's JSON. */
  readonly planText: string;
  /** What programs are told besides. */
  readonly told: Readonly<Record<string, string>>;
};

/** A plan that was made, or how its job ended without one. */
export type MadePlan = {
  readonly kind: PlanKind;
  readonly job: RunnerJob;
  readonly draft: PlanDraft;
  readonly planned: Planned | undefined;
  /** The exit code where there is no plan. */
  readonly code: number;
};

/** Outputs as people read them, a line for each. */
export function showOutputs(screen: Screen, outputs: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(outputs)) {
    screen.out(`${name} = ${JSON.stringify(value)}`);
  }
}
