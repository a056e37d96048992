import { z } from "zod";
import { type Credentials, readCredentials } from "../../credentials/read-credentials.ts";
import type { JobInfo, Plan } from "../../jobs/handler.ts";
import { invalidPlan } from "../../jobs/job-failure.ts";
import { type Approved, readApproved } from "../../kubernetes/approved.ts";

const text = z.string().nullish();
const texts = z.array(z.string()).nullish();
const words = z.record(z.string(), z.string()).nullish();
const label = /^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$/;
const subdomain = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$/;

const named = (form: RegExp, most: number, what: string) =>
  z
    .string()
    .regex(form, `is no name of ${what}: small letters, digits and "-" are allowed`)
    .max(most)
    .nullish();

/** Nanoseconds. */
const span = z
  .int()
  .refine((ns) => ns >= 0, "is less than nothing")
  .nullish();

const amounts = z.record(z.string(), z.union([z.string(), z.number()])).nullish();
const variable = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
const variables = z.record(z.string().regex(variable), z.string()).nullish();

const tenMinutesNs = 600e9;

const body = z.looseObject({
  image_url: z
    .string()
    .regex(/^[^\s@]*$/, "is no name of an image: registry/name, without a digest"),
  tag: z
    .string()
    .regex(/^(?:[\w][\w.-]{0,127})?$/, "is no tag")
    .nullish(),
  digest: z
    .string()
    .regex(
      /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})?$/,
      "is no digest: sha256: and 64 hex digits",
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
  keep: span.refine((ns) => !ns || ns >= tenMinutesNs, "is 0, or ten minutes and more"),
});
const whole = z.looseObject({
  install_id: text,
  component_id: text,
  component_name: text,
  apply_plan_contents: text,
  timeout: span,
  job: body.partial({ image_url: true }),
});

/** A job-deploy as it is run. */
export type JobRun = {
  readonly action: "plan" | "plan-teardown" | "apply" | "teardown";
  /** Empty for a teardown, which may not know it. */
  readonly image: string;
  readonly cmd: readonly string[];
  readonly args: readonly string[];
  /** Values may be secret: they are in the Job's Secret, never in the Job. */
  readonly env: Readonly<Record<string, string>>;
  /** What the Job's name begins with. */
  readonly prefix: string;
  /** Empty: that of the kubeconfig. */
  readonly namespace: string;
  /** Names what belongs together over deploys; empty where the plan does not say. */
  readonly belongsTo: string;
  readonly pod: PodMembers;
  readonly backoff: number;
  readonly activeMs: number | undefined;
  readonly startMs: number;
  readonly keepMs: number;
  readonly timeoutMs: number | undefined;
  readonly approved: Approved | undefined;
  readonly credentials: Credentials;
};

/** Members that go into the pod as they are. */
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
const mostEnvBytes = 900_000; // of the mebibyte that a Secret may have

/** Reads the plan of a job-deploy. Throws JobFailure that names the member that is wrong. */
export function readJobRun(plan: Plan, { operation }: JobInfo): JobRun {
  const { data, error } = whole.safeParse(plan);
  if (data === undefined) {
    const [issue] = error.issues;
    const isKey = issue?.code === "invalid_key";
    const why = isKey
      ? "is no name of a variable: letters, digits, _, - and . are allowed"
      : issue?.message;
    throw invalidPlan(`${issue?.path.join(".")}: ${why}`);
  }
  const { job, install_id, component_id } = data;
  const action = actions[operation];
  if (action === undefined) {
    const all = Object.keys(actions).join(", ");
    throw invalidPlan(`job-deploy has no operation ${operation}: ${all} are`);
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
    throw invalidPlan("install_id or component_id has to say whose Jobs a teardown deletes");
  }
  if (!isTeardown && !image_url) throw invalidPlan("job.image_url is missing: the image to run");
  if (tag && !digest && /:[^/]*$/.test(image_url ?? "")) {
    throw invalidPlan("job.image_url has a tag, and so has job.tag: give one of them");
  }
  const bytes = Object.entries(env).reduce(
    (sum, [name, value]) => sum + name.length + Buffer.byteLength(value),
    0,
  );
  if (bytes > mostEnvBytes) {
    throw invalidPlan(`job.env_vars are ${bytes} bytes, and ${mostEnvBytes} are allowed`);
  }
}

/** A digest goes before a tag: it says exactly which one. */
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

/** A component's name may have what a Job's has not. */
const prefixOf = (name: string | null | undefined): string =>
  (name ?? "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 36)
    .replaceAll(/^-+|-+$/g, "");

const millis = (ns: number | null | undefined): number | undefined =>
  ns == null || ns <= 0 ? undefined : ns / 1e6;
