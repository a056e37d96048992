import { type FailureReason, JobFailure } from "../jobs/job-failure.ts";
import type { CommandEnd } from "../jobs/stored-execution.ts";
import type { RegistryClass } from "../registry/registry-fault.ts";

/** Why a source is not available, in one word for programs: `error_metadata.class` of the result. */
export type SourceClass = RegistryClass;

type Whose = { readonly title: string; readonly what: string; readonly end: CommandEnd };
type Why = {
  readonly words: string;
  readonly reason?: FailureReason;
  readonly class?: SourceClass | undefined;
};

const reasons: Partial<Record<CommandEnd["why"], FailureReason>> = {
  lost: "lost",
  "timed-out": "timeout_step",
  "disk-full": "disk_full",
  "out-of-memory": "oom",
};

/** Makes the failure of a job whose source is not available; `what` names the source without credentials. */
export function sourceFailure({ title, what, end }: Whose, why: Why): JobFailure {
  return new JobFailure(`${title}: the source ${what}: ${why.words}.`, {
    reason: why.reason ?? reasons[end.why] ?? "source_unavailable",
    ...(why.class !== undefined && { metadata: { class: why.class } }),
  });
}

/** A source is not available. The message says why and contains no secret. */
export class SourceFault extends Error {
  override readonly name = "SourceFault";
  readonly class: SourceClass;

  constructor(kind: SourceClass, words: string) {
    super(words);
    this.class = kind;
  }
}
