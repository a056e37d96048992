import { type CompositeError, JobFailure } from "../jobs/job-failure.ts";

const titles = {
  auth: "The cluster does not accept the credentials",
  forbidden: "The cluster does not allow it",
  network: "The cluster, or a service that it depends on, does not answer",
  config_invalid: "The deployed objects are not valid",
  missing_value: "A value is missing",
  render_failed: "A text could not be rendered",
  not_found: "Something that is needed does not exist",
  conflict: "Others manage fields that it sets",
  plan_stale: "This is not what was approved",
  quota: "A quota is used up",
  not_ready: "It did not become ready",
  timeout: "It took too long",
  refused: "It was refused",
  locked: "Another deploy holds the release",
  canceled: "It was stopped",
  image_pull: "An image cannot be pulled",
  container_config: "A container cannot be started",
  unschedulable: "It fits on no node",
  oom: "It ran out of memory",
  evicted: "It was evicted",
  node_lost: "Its node was lost",
  disrupted: "It was stopped from outside",
  exit_code: "It ended with an error",
  job_failed: "The Job failed",
  gone: "Someone deleted it",
} as const;

/** What went wrong with a cluster or a deploy, in one word for programs: `error_metadata.class`. */
export type DeployClass = keyof typeof titles;

/** Classes that a retry may pass. */
const passing: ReadonlySet<DeployClass> = new Set([
  "network",
  "quota",
  "locked",
  "unschedulable",
  "evicted",
  "node_lost",
  "disrupted",
]);

type More = {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** The objects concerned: "Deployment shop/web". */
  readonly resources?: readonly string[];
  /** A container's exit code. */
  readonly code?: number;
};

/** Makes the failure of a deploy; `words` are a sentence. */
export function deployFailure(words: string, of: DeployClass, more: More = {}): JobFailure {
  const { metadata, outputs, resources = [], code } = more;
  const composite: CompositeError = {
    type: `deploy.${of}`,
    title: titles[of],
    detail: words,
    retryable: passing.has(of),
    ...(resources.length > 0 && { resources }),
    ...(code !== undefined && { exit_code: code }),
  };
  return new JobFailure(words, {
    reason: "deploy_failed",
    class: of,
    composite,
    ...(code !== undefined && { code }),
    ...(metadata !== undefined && { metadata }),
    ...(outputs !== undefined && { outputs }),
  });
}

/** The same failure with a sentence added. */
export function withMoreDetail(failure: JobFailure, more: string): JobFailure {
  const { message, reason, code, metadata, composite, outputs } = failure;
  const words = `${message} ${more}`;
  return new JobFailure(words, {
    reason,
    code,
    metadata,
    ...(composite !== undefined && { composite: { ...composite, detail: words } }),
    ...(outputs !== undefined && { outputs }),
  });
}
