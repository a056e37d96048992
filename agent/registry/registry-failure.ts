import type { Job } from "../jobs/handler.ts";
import { type CompositeError, type FailureReason, JobFailure } from "../jobs/job-failure.ts";
import type { CommandEnd } from "../jobs/stored-execution.ts";
import type { RegistryClass } from "./registry-fault.ts";

const titles: Readonly<Record<RegistryClass, string>> = {
  auth: "The registry does not accept the credentials",
  not_found: "It does not exist",
  digest: "It has another digest than it should have",
  network: "The registry does not answer",
  rate_limited: "The registry takes no more requests for now",
  refused: "The registry refused it",
  too_large: "It is too large",
  unsafe: "It is not valid",
};
const passing: ReadonlySet<RegistryClass> = new Set(["network", "rate_limited"]);

const reasons: Partial<Record<CommandEnd["why"], FailureReason>> = {
  lost: "lost",
  "disk-full": "disk_full",
  "out-of-memory": "oom",
};

/** Makes the failure of a job that a registry did not serve; `failed` says what could not be done. */
export function registryFailure(
  job: Pick<Job, "redact">,
  failed: string,
  why: { readonly class: string; readonly words: string },
): JobFailure {
  const kind = why.class as RegistryClass; // told by a child of this program
  const detail = job.redact(`${failed}: ${why.words}.`);
  const composite: CompositeError = {
    type: `registry.${kind}`,
    title: titles[kind],
    detail,
    retryable: passing.has(kind),
  };
  return new JobFailure(detail, { reason: "registry_failed", class: kind, composite });
}

/** Makes the failure of a job whose child ended without saying why. */
export function endFailure(job: Pick<Job, "redact">, failed: string, end: CommandEnd): JobFailure {
  return new JobFailure(job.redact(`${failed}: it ${end.words}.`), {
    reason: reasons[end.why] ?? "internal",
  });
}
