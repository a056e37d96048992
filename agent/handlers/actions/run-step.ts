import { existsSync } from "node:fs";
import { type FailureReason, JobFailure } from "../../jobs/job-failure.ts";
import type { CommandEnd } from "../../jobs/stored-execution.ts";
import { folderWithin } from "../../sources/folder-within.ts";
import { type ActionStep, stepTitle } from "./action-steps.ts";
import { brandedEnv } from "./branded-env.ts";
import { OutputFault } from "./output-text.ts";
import type { StepContext } from "./step-context.ts";
import { makeStepFiles } from "./step-files.ts";
import { takeOutputFile } from "./step-outputs.ts";
import { fetchStepSource } from "./step-source.ts";

/** How a step ended; plain JSON. */
export type StepEnd = {
  readonly status: "finished" | "error" | "timed-out" | "stopped";
  readonly words: string;
  readonly code: number;
  readonly reason?: FailureReason;
  /** More about a failure, for programs. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly tookMs: number;
  /** Its outputs without secrets, stored on disk in case the job resumes after a restart of the host. */
  readonly outputs?: Readonly<Record<string, unknown>>;
};

/** Runs one step to its end and reads its outputs. Every error becomes an end, too. */
export async function runStep(context: StepContext, step: ActionStep): Promise<StepEnd> {
  const startedAtMs = Date.now();
  try {
    const end = await runCommand(context, step);
    const outputs = context.outputs.shownOf(step.name);
    return { ...judged(step, end), tookMs: end.tookMs, outputs };
  } catch (error) {
    const { message, code, reason, metadata } = failureOf(context, step, error);
    const whyNot = reason === "timeout_step" ? "timed-out" : "error";
    const status = context.job.signal.aborted ? "stopped" : whyNot;
    return { status, words: message, code, reason, metadata, tookMs: Date.now() - startedAtMs };
  }
}

/**
 * A script may delete the agent's files of its own job; an error from reading or writing them then counts as the
 * step's.
 */
function failureOf({ job }: StepContext, step: ActionStep, error: unknown): JobFailure {
  if (error instanceof JobFailure) return error;
  if (existsSync(job.directories.secrets)) throw error;
  return deletedBy(step, "the job's folder in the run directory");
}

function deletedBy(step: ActionStep, what: string): JobFailure {
  return new JobFailure(`${stepTitle(step)} deleted ${what}.`, { reason: "step_failed" });
}

async function runCommand(context: StepContext, step: ActionStep): Promise<CommandEnd> {
  const { job, outputs } = context;
  const { folder, tookMs } =
    step.source === undefined
      ? { folder: context.work, tookMs: 0 }
      : await fetchStepSource(context, step, step.source);
  const cwd = await folderWithin(folder, step.directory, stepTitle(step));
  const { argv, outputFile } = await makeStepFiles(step, job.directories);
  await context.handOnOutputs();
  job.onOutput(async ({ name, value, secret }) => {
    if (secret) job.addSecret(typeof value === "string" ? value : JSON.stringify(value));
    outputs.set(step.name, name, value, secret);
    await context.keepOutputs();
  });
  const own = {
    ...job.directories.env,
    SVC_STEP_NAME: step.name,
    SVC_ACTIONS_OUTPUT_FILEPATH: outputFile,
  };
  const end = await job.run({
    key: `${step.index}/command`,
    step: step.name,
    argv,
    cwd,
    env: { ...context.env(step.env), ...brandedEnv([own], context.brands) },
    timeoutMs: step.timeoutMs,
    spentMs: tookMs,
    isCleanup: step.isAlways,
  });
  const hasPlace = existsSync(job.directories.secrets);
  if (hasPlace) await takeOutputs(context, { step, file: outputFile, isGood: isGood(end) });
  if (!isGood(end)) return end;
  if (!hasPlace) throw deletedBy(step, "the job's folder in the run directory");
  if (!existsSync(context.work)) throw deletedBy(step, "the job's workspace");
  return end;
}

type Written = { readonly step: ActionStep; readonly file: string; readonly isGood: boolean };

async function takeOutputs(context: StepContext, { step, file, isGood }: Written): Promise<void> {
  const { job, outputs } = context;
  try {
    await takeOutputFile(outputs, step.name, { file, owner: job.directories.owner });
  } catch (error) {
    if (!(error instanceof OutputFault)) throw error;
    const words = `${stepTitle(step)}: its outputs are invalid: ${error.message}.`;
    if (isGood) throw new JobFailure(words, { reason: "outputs_invalid" });
    job.log(words, "warn", step.name, `${step.index}/outputs`); // the step has failed already
  }
  await context.keepOutputs();
}

const isGood = ({ why, code }: CommandEnd): boolean => why === "exited" && code === 0;

const reasons: Readonly<Record<CommandEnd["why"], FailureReason>> = {
  exited: "step_failed",
  killed: "step_failed",
  "out-of-memory": "oom",
  "disk-full": "disk_full",
  lost: "lost",
  "timed-out": "timeout_step",
  stopped: "step_failed",
};

function judged(step: ActionStep, end: CommandEnd): Omit<StepEnd, "tookMs"> {
  if (isGood(end)) return { status: "finished", words: "", code: 0 };
  const words = `${stepTitle(step)} ${end.words}.`;
  const status =
    end.why === "timed-out" ? "timed-out" : end.why === "stopped" ? "stopped" : "error";
  return { status, words, code: end.code || 1, reason: reasons[end.why] };
}
