import type { Job } from "../../jobs/handler.ts";
import { type CompositeError, type FailureReason, JobFailure } from "../../jobs/job-failure.ts";
import { causeOf } from "../../jobs/stop-cause.ts";
import { classify, lockIdIn, type TerraformClass } from "./classify.ts";
import { type LockHolder, lockHolder } from "./lock-holder.ts";
import type { Ran } from "./run-terraform.ts";
import type { Diagnostic } from "./said.ts";
import type { TerraformContext } from "./terraform-context.ts";

const titles: Readonly<Record<TerraformClass, string>> = {
  state_lock: "The workspace is locked by another",
  workspace_blocked: "The workspace is blocked",
  plan_stale: "The plan is stale: the state was changed after it was made",
  plan_changed: "This is not the plan that was approved",
  state_push_failed: "The state could not be saved at the broker",
  state_conflict: "The broker refuses the state",
  auth: "A credential was refused",
  quota: "A limit of the cloud was reached",
  lockfile: "The dependency lock file does not fit",
  provider_install: "A provider cannot be installed",
  module_install: "A module cannot be installed",
  registry: "A registry cannot be reached",
  provider_crash: "A provider crashed",
  config_invalid: "The configuration is not valid",
  variable_missing: "A variable has no value",
  policy: "A policy denies the plan",
  timeout: "It took too long",
  canceled: "It was stopped before anything was changed",
  interrupted: "It was interrupted",
  killed_dirty: "It was killed during the apply",
  too_large: "It is too large",
  oom: "The host ran out of memory",
  disk_full: "The host's disk is full",
  lost: "How it ended is unknown",
  terraform_failed: "terraform failed",
};

const reasons: Partial<Record<TerraformClass, FailureReason>> = {
  oom: "oom",
  disk_full: "disk_full",
  lost: "lost",
};

export type TerraformFault = {
  readonly class: TerraformClass;
  readonly detail: string;
  readonly isRetryable?: boolean;
  readonly code?: number | null;
  readonly diagnostics?: readonly Diagnostic[];
  /** The id of the lock that was already taken. */
  readonly holder?: Partial<LockHolder> | undefined;
  /** More for programs, in the error's metadata. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
};

/** The failure of a terraform job, as text and for programs. */
export function terraformFailure(words: string, fault: TerraformFault): JobFailure {
  const { detail, diagnostics = [], holder, metadata, outputs } = fault;
  const resources = [...new Set(diagnostics.flatMap(({ address }) => address ?? []))];
  const composite: CompositeError = {
    type: `terraform.${fault.class}`,
    title: titles[fault.class],
    detail,
    retryable: fault.isRetryable ?? false,
    ...(resources.length > 0 && { resources }),
    ...(diagnostics.length > 0 && { diagnostics: [...diagnostics] }),
    ...(holder !== undefined && { holder }),
  };
  return new JobFailure(words, {
    reason: reasons[fault.class] ?? "tool_failed",
    class: fault.class,
    composite,
    code: fault.code || 1,
    ...(metadata !== undefined && { metadata }),
    ...(outputs !== undefined && { outputs }),
  });
}

/** The failure of a terraform command; `step` is its name. */
export async function failureOfRun(
  context: TerraformContext,
  step: string,
  ran: Ran,
): Promise<JobFailure> {
  if (context.job.signal.aborted) return stoppedFailure(context, step, ran);
  const { class: kind, main } = classify(ran.end, ran.said);
  const holder = kind === "state_lock" ? await holderOf(context, lockIdIn(main)) : undefined;
  return failureOf(step, ran, holder);
}

/** The same of a command that has nothing to do with a state. */
export function failureOfCommand(job: Job, step: string, ran: Ran): JobFailure {
  return job.signal.aborted ? stoppedFailure({ job }, step, ran) : failureOf(step, ran);
}

function failureOf(step: string, { end, said }: Ran, holder?: Partial<LockHolder>): JobFailure {
  const { class: kind, main, isRetryable } = classify(end, said);
  const told = main === undefined ? lastWords(said.words) : sentenceOf(main);
  const who = holder?.who === undefined ? "" : ` It is held by ${whoIs(holder)}.`;
  const detail = `${told === "" ? `It ${end.words}.` : told}${who}`;
  return terraformFailure(`terraform ${step} failed: ${titles[kind]}. ${detail}`, {
    class: kind,
    detail,
    isRetryable,
    code: end.code,
    diagnostics: said.diagnostics,
    holder,
    metadata: placeOf(main),
  });
}

const clocks: ReadonlySet<string> = new Set(["timed-out", "deadline", "job-timeout"]);

/** The failure of a stopped command; its errors are consequences of the stop. */
function stoppedFailure(
  { job }: Pick<TerraformContext, "job">,
  step: string,
  { end }: Ran,
): JobFailure {
  const isLate = clocks.has(causeOf(job.signal).kind);
  const detail = `terraform ${step} ${end.words}; nothing was changed.`;
  return terraformFailure(detail, { class: isLate ? "timeout" : "canceled", detail });
}

async function holderOf(
  context: TerraformContext,
  id: string | undefined,
): Promise<Partial<LockHolder> | undefined> {
  const holder = await lockHolder(context);
  if (id === undefined || holder?.id === id) return holder;
  return { id };
}

function whoIs({ who, operation, runner_job_id, created }: Partial<LockHolder>): string {
  const job = runner_job_id === undefined ? "" : `, job ${runner_job_id}`;
  return `${who}${job} (${operation}) since ${created}`;
}

function sentenceOf({ summary, detail, file, line, address }: Diagnostic): string {
  const place = file === undefined ? "" : ` (${file}${line === undefined ? "" : `:${line}`})`;
  const whose = address === undefined ? "" : `${address}: `;
  const more = detail.replaceAll(/\s+/g, " ").trim().slice(0, 600);
  return `${whose}${summary}${place}${more === "" ? "." : `: ${more}`}`;
}

const lastWords = (words: readonly string[]): string => words.slice(-2).join(" ").slice(0, 600);

function placeOf(main: Diagnostic | undefined): Record<string, string> {
  return {
    ...(main?.file !== undefined && { file: main.file }),
    ...(main?.line !== undefined && { line: String(main.line) }),
    ...(main?.address !== undefined && { resource: main.address }),
  };
}
