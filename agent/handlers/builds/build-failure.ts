import { type CompositeError, type FailureReason, JobFailure } from "../../jobs/job-failure.ts";
import type { CommandEnd } from "../../jobs/stored-execution.ts";

const titles = {
  outside: "It needs something outside of the directory that is built",
  config_invalid: "What is built is not valid",
  not_found: "Something that is needed does not exist",
  dependency_missing: "A dependency cannot be had",
  auth: "A login was refused",
  network: "A server does not answer",
  unsafe: "It has an entry that no artifact may have",
  too_large: "It is too large",
  digest: "What arrived is not what was sent",
  refused: "It was refused",
  repository_refused: "Its repository lets nobody in who builds here",
  rate_limited: "A registry takes no more requests for now",
  canceled: "It was stopped",
  step_failed: "A step of the Dockerfile failed",
  disk: "It takes more room than a build may have",
  isolation: "It cannot be kept apart from this host",
} as const;

/** Why a build failed, in one word for programs: `error_metadata.class`. */
export type BuildClass = keyof typeof titles;

/** Classes that a retry may pass. */
const passing: ReadonlySet<string> = new Set(["network", "rate_limited"]);

/** Makes the failure of a build; `words` are a sentence, `file` is what is to blame: "main.tf:3". */
export function buildFailure(words: string, of: BuildClass, file?: string): JobFailure {
  const composite: CompositeError = {
    type: `build.${of}`,
    title: titles[of],
    detail: words,
    retryable: passing.has(of),
    ...(file !== undefined && { file }),
  };
  return new JobFailure(words, {
    reason: "build_failed",
    class: of,
    composite,
    ...(file !== undefined && { metadata: { file } }),
  });
}

/** The reason of a build whose child ended without saying why. */
export const endReasons: Partial<Record<CommandEnd["why"], FailureReason>> = {
  lost: "lost",
  "disk-full": "disk_full",
  "out-of-memory": "oom",
  "timed-out": "timeout_step",
};

/** The class of a word that another part of the agent uses; what builds do not know is `refused`. */
export function buildClassOf(word: string | undefined): BuildClass {
  return word !== undefined && word in titles ? (word as BuildClass) : "refused"; // its keys
}

/** The same failure as one of a build, where the part of a deploy that a build uses has failed. */
export function asBuildFailure(error: unknown): unknown {
  if (!(error instanceof JobFailure) || error.reason !== "deploy_failed") return error;
  const { class: word } = error.metadata;
  const of = word === "timeout" ? "network" : buildClassOf(word);
  return buildFailure(error.message, of);
}
