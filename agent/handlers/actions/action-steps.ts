import type { z } from "zod";
import { firstFault } from "../../../shared/issue-words.ts";
import { actionPlan } from "../../../shared/plans/action-plan.ts";
import { type Credentials, readCredentials } from "../../credentials/read-credentials.ts";
import type { Plan } from "../../jobs/handler.ts";
import { invalidPlan as unfit } from "../../jobs/job-failure.ts";
import { readSource } from "../../sources/read-source.ts";
import type { Source } from "../../sources/source.ts";

export type ActionPlan = z.infer<typeof actionPlan>;
type PlanStep = NonNullable<ActionPlan["steps"]>[number];
/** A step of a plan, validated and with its defaults. */
export type ActionStep = {
  /** Its place in the plan, from 0. */
  readonly index: number;
  readonly name: string;
  /** Its id at the broker; empty when its status is not reported. */
  readonly id: string;
  readonly env: Readonly<Record<string, string>>;
  /** The whole source; the step runs in `directory` within it. */
  readonly source: Source | undefined;
  /** Relative to the source or the workspace. */
  readonly directory: string;
  readonly run:
    | { readonly kind: "argv"; readonly argv: readonly string[] }
    | {
        readonly kind: "script";
        readonly text: string;
        readonly args: readonly string[];
        readonly shell: readonly string[] | undefined;
      };
  readonly timeoutMs: number | undefined;
  readonly mayFail: boolean;
  readonly isAlways: boolean;
};

export type ActionRun = {
  readonly plan: ActionPlan;
  readonly steps: readonly ActionStep[];
  readonly timeoutMs: number | undefined;
  readonly credentials: Credentials;
};

/** The name of a step for sentences: "Step build", "Step 2". */
export function stepTitle({ name }: ActionStep): string {
  return `Step ${name.replace(/^step /i, "")}`;
}

/** Reads the plan of an action. Throws a JobFailure that names the invalid member. */
export function readActionRun(plan: Plan): ActionRun {
  const { data, error } = actionPlan.safeParse(plan);
  if (data === undefined) {
    throw unfit(firstFault(error));
  }
  const steps = (data.steps ?? []).map(readStep);
  const names = new Set<string>();
  for (const { name } of steps) {
    if (name === "__proto__") throw unfit(`a step cannot be named ${name}`);
    if (names.has(name)) throw unfit(`two steps are named ${name}`);
    names.add(name);
  }
  return {
    plan: data,
    steps,
    timeoutMs: durationMs(data.timeout),
    credentials: readCredentials(plan),
  };
}

function readStep(step: PlanStep, index: number): ActionStep {
  const name = step.name || step.attrs?.["name"] || `step ${index + 1}`;
  const { git_source, source } = step;
  const found = readSource({ git_source, source }, ` of ${name}`);
  return {
    index,
    name,
    id: step.run_id ?? "",
    env: { ...step.interpolated_env_vars, ...step.secret_env_vars },
    source: found && { ...found, directory: "" },
    directory: joined(found?.directory, step.directory),
    run: readRun(name, step),
    timeoutMs: durationMs(step.timeout),
    mayFail: step.continue_on_error ?? false,
    isAlways: step.always ?? false,
  };
}

/** Inline contents take precedence over a command, as in other runners. */
function readRun(name: string, step: PlanStep): ActionStep["run"] {
  const argv = step.argv ?? [];
  if (argv.length > 0) return { kind: "argv", argv };
  const text = step.interpolated_inline_contents || step.interpolated_command || "";
  if (text.trim() === "") throw unfit(`${name} needs a command or inline contents`);
  const shell = typeof step.shell === "string" ? step.shell.trim().split(/\s+/) : step.shell;
  const isGiven = shell !== undefined && shell !== null && (shell[0] ?? "") !== "";
  return { kind: "script", text, args: step.args ?? [], shell: isGiven ? shell : undefined };
}

const joined = (...parts: (string | null | undefined)[]): string =>
  parts.filter((part) => part != null && part !== "").join("/");

function durationMs(ns: number | null | undefined): number | undefined {
  return ns == null || ns <= 0 ? undefined : ns / 1e6;
}
