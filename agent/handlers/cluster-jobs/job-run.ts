import { z } from "zod";
import { firstFault } from "../../../shared/issue-words.ts";
import { type Credentials, readCredentials } from "../../credentials/read-credentials.ts";
import type { JobInfo, Plan } from "../../jobs/handler.ts";
import { invalidPlan } from "../../jobs/job-failure.ts";
import { type Approved, readApproved } from "../../kubernetes/approved.ts";
import { type PullSecret, readPullSecret } from "../../kubernetes/pull-secret.ts";

const text = z.string().nullish();
const texts = z.array(z.string()).nullish();
const words = z.record(z.string(), z.string()).nullish();
const label = /^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$/;
const subdomain = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$/;

const named = (form: RegExp, most: number, what: string) =>
  z
    .string()
    .regex(form, `is not a valid name of ${what}: use lowercase letters, digits and "-"`)
    .max(most)
    .nullish();

/** Nanoseconds. */
const span = z
  .int()
  .refine((ns) => ns >= 0, "must not be negative")
  .nullish();

const amounts = z.record(z.string(), z.union([z.string(), z.number()])).nullish();
const variable = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
const variables = z.record(z.string().regex(variable), z.string()).nullish();

const tenMinutesNs = 600e9;

const body = z.looseObject({
  image_url: z
    .string()
    .regex(/^[^\s@]*$/, "is not a valid image name: use registry/name, without a digest"),
  tag: z
    .string()
    .regex(/^(?:[\w][\w.-]{0,127})?$/, "is not a valid tag")
    .nullish(),
  digest: z
    .string()
    .regex(
      /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})?$/,
      "is not a valid digest: use sha256: and 64 hex digits",
    )
    .nullish(),
  cmd: texts,
  args: texts,
  env_vars: variables,
  secret_env_vars: variables,
  name: named(label, 36, "a Job"),
  namespace: named(label, 63, "a namespace"),
  service_account: named(subdomain, 253, "a service account"),
  resources: z.looseObject({ requests: amounts, limits: amounts }).nullish(),
  image_pull_secrets: texts,
  annotations: words,
  node_selector: words,
  tolerations: z.array(z.looseObject({})).nullish(),
  backoff: z.int().min(0).max(20).nullish(),
  timeout: span,
  start_timeout: span,
  keep: span.refine((ns) => !ns || ns >= tenMinutesNs, "must be 0, or at least ten minutes"),
});
const whole = z.looseObject({
  install_id: text,
  component_id: text,
  component_name: text,
  apply_plan_contents: text,
  timeout: span,
  job: body.partial({ image_url: true }),
});

/** A validated job-deploy, with its defaults. */
export type JobRun = {
  readonly action: "plan" | "plan-teardown" | "apply" | "teardown";
  /** Empty for a teardown, whose plan may not name it. */
  readonly image: string;
  readonly cmd: readonly string[];
  readonly args: readonly string[];
  /** The values may be secret: they go to the Job's Secret, never to the Job. */
  readonly env: Readonly<Record<string, string>>;
  /** The prefix of the Job's name. */
  readonly prefix: string;
  /** Empty: the namespace of the kubeconfig. */
  readonly namespace: string;
  /** Identifies the Jobs of one component across deploys; empty when the plan names none. */
  readonly belongsTo: string;
  readonly pod: PodMembers;
  readonly backoff: number;
  readonly activeMs: number | undefined;
  readonly startMs: number;
  readonly keepMs: number;
  /** Written before the Job that pulls by it. */
  readonly pullSecret: PullSecret | undefined;
  readonly timeoutMs: number | undefined;
  readonly approved: Approved | undefined;
  readonly credentials: Credentials;
};

/** Members that are copied to the pod unchanged. */
export type PodMembers = {
  readonly serviceAccount: string;
  readonly resources: object | undefined;
  readonly pullSecrets: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly nodeSelector: Readonly<Record<string, string>> | undefined;
  readonly tolerations: readonly object[] | undefined;
};

const usualStartMs = 300_000;
const usualKeepMs = 3_600_000;
const mostEnvBytes = 900_000; // a Secret may have 1 MiB

/** Reads the plan of a job-deploy. Throws a JobFailure that names the invalid member. */
export function readJobRun(plan: Plan, { operation }: JobInfo): JobRun {
  const { data, error } = whole.safeParse(plan);
  if (data === undefined) {
    const [issue] = error.issues;
    const isKey = issue?.code === "invalid_key";
    const why = "is not a valid variable name: use letters, digits, _, - and .";
    throw invalidPlan(isKey ? `${issue?.path.join(".")}: ${why}` : firstFault(error));
  }
  const { job, install_id, component_id } = data;
  const action = actions[operation];
  if (action === undefined) {
    const all = Object.keys(actions).join(", ");
    throw invalidPlan(`job-deploy has no operation ${operation}: use one of ${all}`);
  }
  const approved = action === "apply?" ? readApproved(data.apply_plan_contents) : undefined;
  const belongsTo = [install_id, component_id].filter(Boolean).join("/");
  const env = { ...job.env_vars, ...job.secret_env_vars };
  const isTeardown = action === "plan-teardown" || approved?.op === "teardown";
  check({ ...job, env }, belongsTo, isTeardown);
  return {
    action: action === "apply?" ? (isTeardown ? "teardown" : "apply") : action,
    image: imageOf(job),
    cmd: job.cmd ?? [],
    args: job.args ?? [],
    env,
    prefix: job.name || prefixOf(data.component_name) || "job",
    namespace: job.namespace ?? "",
    belongsTo,
    pod: podMembers(job),
    backoff: job.backoff ?? 0,
    activeMs: millis(job.timeout),
    startMs: millis(job.start_timeout) ?? usualStartMs,
    keepMs: job.keep == null ? usualKeepMs : job.keep / 1e6,
    pullSecret: readPullSecret(plan),
    timeoutMs: millis(data.timeout),
    approved,
    credentials: readCredentials({ ...plan, ...job }),
  };
}

type Body = z.infer<typeof whole>["job"];

const actions: Readonly<Record<string, "plan" | "plan-teardown" | "apply" | "apply?">> = {
  "create-apply-plan": "plan",
  "create-teardown-plan": "plan-teardown",
  "apply-plan": "apply?",
  exec: "apply",
};

function check(
  { image_url, digest, tag, env }: Body & { readonly env: Readonly<Record<string, string>> },
  belongsTo: string,
  isTeardown: boolean,
): void {
  if (isTeardown && belongsTo === "") {
    throw invalidPlan(
      "install_id or component_id is required: it says whose Jobs a teardown deletes",
    );
  }
  if (!isTeardown && !image_url) throw invalidPlan("job.image_url is missing: the image to run");
  if (tag && !digest && /:[^/]*$/.test(image_url ?? "")) {
    throw invalidPlan("job.image_url and job.tag both have a tag: give one of them");
  }
  const bytes = Object.entries(env).reduce(
    (sum, [name, value]) => sum + name.length + Buffer.byteLength(value),
    0,
  );
  if (bytes > mostEnvBytes) {
    throw invalidPlan(`job.env_vars have ${bytes} bytes; the limit is ${mostEnvBytes}`);
  }
}

/** A digest takes precedence over a tag, as it identifies one image exactly. */
function imageOf({ image_url = "", tag, digest }: Body): string {
  if (digest) return `${image_url}@${digest}`;
  return tag ? `${image_url}:${tag}` : image_url;
}

function podMembers(job: Body): PodMembers {
  return {
    serviceAccount: job.service_account ?? "",
    resources: job.resources ?? undefined,
    pullSecrets: job.image_pull_secrets ?? [],
    annotations: job.annotations ?? {},
    nodeSelector: job.node_selector ?? undefined,
    tolerations: job.tolerations ?? undefined,
  };
}

/** Removes what a component's name may contain and a Job's may not. */
const prefixOf = (name: string | null | undefined): string =>
  (name ?? "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 36)
    .replaceAll(/^-+|-+$/g, "");

const millis = (ns: number | null | undefined): number | undefined =>
  ns == null || ns <= 0 ? undefined : ns / 1e6;
