import { type CompositeError, type FailureReason, JobFailure } from "../../jobs/job-failure.ts";
import { causeOf } from "../../jobs/stop-cause.ts";
import type { CommandEnd } from "../../jobs/stored-execution.ts";
import type { PulumiContext } from "./pulumi-context.ts";
import type { Ran } from "./run-pulumi.ts";

const titles = {
  state_lock: "The workspace is held by another",
  workspace_blocked: "The workspace is blocked",
  plan_stale: "The plan is stale: the state was changed after it was made",
  plan_changed: "This is not the plan that was approved",
  state_push_failed: "The state could not be saved at the broker",
  state_invalid: "The state in the workspace cannot be used",
  auth: "A credential was refused",
  quota: "A limit of the cloud was reached",
  plugin_install: "A plugin cannot be had",
  config_invalid: "The program or its config is not valid",
  config_missing: "A value of the config is missing",
  program_failed: "The program failed",
  timeout: "It took too long",
  canceled: "It was stopped before anything was changed",
  interrupted: "It was interrupted",
  killed_dirty: "It was killed during the update",
  too_large: "It is too large",
  oom: "The host ran out of memory",
  disk_full: "The host's disk is full",
  lost: "How it ended is unknown",
  pulumi_failed: "pulumi failed",
} as const;

/** Why a job of Pulumi failed, in one word for programs: `error_metadata.class`. */
export type PulumiClass = keyof typeof titles;

const reasons: Partial<Record<PulumiClass, FailureReason>> = {
  oom: "oom",
  disk_full: "disk_full",
  lost: "lost",
};

type Fault = {
  readonly class: PulumiClass;
  readonly isRetryable?: boolean;
  readonly code?: number | null;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly resources?: readonly string[];
};

/** The failure of a job of Pulumi, as text and for programs. */
export function pulumiFailure(words: string, fault: Fault): JobFailure {
  const { class: kind, metadata, resources = [] } = fault;
  const composite: CompositeError = {
    type: `pulumi.${kind}`,
    title: titles[kind],
    detail: words,
    retryable: fault.isRetryable ?? false,
    ...(resources.length > 0 && { resources }),
  };
  return new JobFailure(words, {
    reason: reasons[kind] ?? "tool_failed",
    class: kind,
    composite,
    code: fault.code || 1,
    ...(metadata !== undefined && { metadata }),
  });
}

type Row = { readonly class: PulumiClass; readonly pattern: RegExp; readonly isRetryable?: true };

/** The order counts. */
const rows: readonly Row[] = [
  {
    class: "plan_changed",
    pattern: /violates plan|not allowed by the plan|expected resource operations for/i,
  },
  { class: "config_missing", pattern: /missing required configuration variable/i },
  {
    class: "state_invalid",
    pattern: /incorrect passphrase|failed to (?:load|deserialize) (?:checkpoint|snapshot)/i,
  },
  {
    class: "plugin_install",
    pattern:
      /(?:could not|failed to) (?:download|install|load|find).*plugin|no .* plugin .* found|unable to (?:install|locate).*plugin/i,
  },
  {
    class: "quota",
    pattern: /quota|limit ?exceeded|throttl|too ?many ?requests|rate exceeded/i,
    isRetryable: true,
  },
  {
    class: "auth",
    pattern:
      /no valid credential|invalidclienttokenid|expired ?token|access ?denied|unauthori[sz]ed|authorizationfailed|could not find default credentials|signaturedoesnotmatch|status code:? 40[13]\b/i,
  },
  {
    class: "config_invalid",
    pattern:
      /cannot find module|could not find.*entry point|syntaxerror|could not locate.*program|unable to find.*program/i,
  },
  {
    class: "program_failed",
    pattern: /program failed with an unhandled exception|unhandled exception/i,
  },
];

const ofEnd: Partial<Record<CommandEnd["why"], PulumiClass>> = {
  "out-of-memory": "oom",
  "disk-full": "disk_full",
  lost: "lost",
  "timed-out": "timeout",
};
const clocks: ReadonlySet<string> = new Set(["timed-out", "deadline", "job-timeout"]);
const mostDetail = 1_000;

/** The failure of a command of pulumi that changed nothing; `step` is its name. */
export function failureOfRun({ job }: PulumiContext, step: string, ran: Ran): JobFailure {
  const { end, errors, words } = ran;
  if (job.signal.aborted) {
    const isLate = clocks.has(causeOf(job.signal).kind);
    const detail = `pulumi ${step} ${end.words}; nothing was changed.`;
    return pulumiFailure(detail, { class: isLate ? "timeout" : "canceled" });
  }
  const told = (errors.length > 0 ? errors.map(({ message }) => message) : words).join(" ");
  const row = rows.find(({ pattern }) => pattern.test(told));
  const kind = row?.class ?? ofEnd[end.why] ?? "pulumi_failed";
  const detail = told === "" ? `It ${end.words}.` : told.slice(0, mostDetail).toWellFormed();
  return pulumiFailure(`pulumi ${step} failed: ${titles[kind]}. ${detail}`, {
    class: kind,
    isRetryable: row?.isRetryable === true,
    code: end.code,
    resources: [...new Set(errors.flatMap(({ urn }) => urn ?? []))],
  });
}
