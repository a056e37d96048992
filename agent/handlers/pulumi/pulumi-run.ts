import { z } from "zod";
import { firstFault } from "../../../shared/issue-words.ts";
import { type Credentials, readCredentials } from "../../credentials/read-credentials.ts";
import type { JobInfo, Plan } from "../../jobs/handler.ts";
import { invalidPlan } from "../../jobs/job-failure.ts";
import { readSource } from "../../sources/read-source.ts";
import type { Source } from "../../sources/source.ts";

const text = z.string().nullish();
const flag = z.boolean().nullish();
const words = z.record(z.string(), z.string()).nullish();
const ns = z.number().nullish();
const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "is not a SHA-256: use 64 hexadecimal digits")
  .nullish();
const approved = z.looseObject({ plan_sha256: sha256, source_revision: text }).nullish();

/** What a stack is: in `pulumi` of a deploy, in `pulumi_backend` of a sandbox run. */
const stack = {
  runtime: text,
  stack_name: text,
  workspace_id: text,
  config: words,
  pulumi_version: text,
  update_plans: flag,
};
const body = z.looseObject({
  ...stack,
  env_vars: words,
  secret_env_vars: words,
  pulumi_backend: z.looseObject(stack).nullish(),
  destroy: flag,
  plan_json: z.array(z.int().min(0).max(255)).nullish(),
  approved,
  timeout: ns,
  cancel_patience: ns,
  lock_timeout: ns,
});
const whole = z.looseObject({
  pulumi: z.looseObject({}).nullish(),
  approved,
  apply_plan_contents: text,
  timeout: ns,
});
type Body = z.infer<typeof body>;

/** A validated job of Pulumi, with its defaults. */
export type PulumiRun = {
  readonly action: "plan" | "apply" | "exec";
  readonly isDestroy: boolean;
  readonly workspaceId: string;
  readonly stackName: string;
  /** The runtime that the program must have, if any is named. */
  readonly runtime: string | undefined;
  /** The wanted version of pulumi, if any. */
  readonly version: string | undefined;
  /** Whether an update is held to a saved plan; else to the steps of its preview. */
  readonly savesPlan: boolean;
  readonly source: Source;
  readonly config: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly approved: { readonly plan: string | undefined; readonly revision: string | undefined };
  /** What the planning job has made, to apply. */
  readonly planFile: Buffer | undefined;
  readonly timeoutMs: number | undefined;
  /** The time that pulumi has to stop after a SIGINT; the agent's setting by default. */
  readonly patienceMs: number | undefined;
  readonly lockTimeoutMs: number;
  readonly credentials: Credentials;
};

const usualLockTimeoutMs = 60_000;

/** Reads the plan of a job of Pulumi. Throws a JobFailure that names the invalid member. */
export function readPulumiRun(plan: Plan, info: JobInfo): PulumiRun {
  const outer = parsed(whole, plan, "");
  const given = outer.pulumi ?? plan;
  const where = outer.pulumi == null ? "" : "pulumi.";
  const inner = parsed(body, given, where);
  const named = inner.pulumi_backend ?? inner;
  const at = inner.pulumi_backend == null ? where : `${where}pulumi_backend.`;
  const source = readSource(given) ?? readSource(plan);
  if (source === undefined) {
    throw invalidPlan(
      "the source is missing: set src_registry, oci_source, git_source, local_archive or source",
    );
  }
  const asked = askedOf(info, inner);
  const kept = outer.approved ?? inner.approved;
  return {
    ...asked,
    ...stackOf(named, at),
    savesPlan: named.update_plans !== false,
    source,
    config: named.config ?? {},
    env: { ...inner.env_vars, ...inner.secret_env_vars },
    approved: {
      plan: kept?.plan_sha256 ?? undefined,
      revision: kept?.source_revision ?? undefined,
    },
    planFile: asked.action === "apply" ? planBytes(outer.apply_plan_contents, inner) : undefined,
    timeoutMs: millis(outer.timeout ?? inner.timeout),
    patienceMs: millis(inner.cancel_patience),
    lockTimeoutMs: millis(inner.lock_timeout) ?? usualLockTimeoutMs,
    credentials: readCredentials(given),
  };
}

type Stack = Pick<PulumiRun, "workspaceId" | "stackName" | "runtime" | "version">;

function stackOf(given: z.infer<z.ZodObject<typeof stack>>, at: string): Stack {
  const workspaceId = given.workspace_id ?? "";
  if (!/^tfw_\w{1,60}$/.test(workspaceId)) {
    throw invalidPlan(`${at}workspace_id is not the id of a workspace: tfw_…`);
  }
  const stackName = given.stack_name ?? "";
  if (
    !/^[\w.-]{1,100}$/.test(stackName) ||
    stackName.startsWith(".") ||
    stackName.startsWith("-")
  ) {
    throw invalidPlan(
      `${at}stack_name is not a name: use up to 100 letters, digits, _, . and -, and begin with none of the last two`,
    );
  }
  return {
    workspaceId,
    stackName,
    runtime: given.runtime || undefined,
    version: given.pulumi_version?.replace(/^v/, "") || undefined,
  };
}

function askedOf({ operation }: JobInfo, inner: Body): Pick<PulumiRun, "action" | "isDestroy"> {
  const actions: Readonly<Record<string, PulumiRun["action"]>> = {
    "create-apply-plan": "plan",
    "create-teardown-plan": "plan",
    "apply-plan": "apply",
    exec: "exec",
  };
  const action = actions[operation];
  if (action === undefined) {
    throw invalidPlan(
      `pulumi has no operation ${operation}: use one of ${Object.keys(actions).join(", ")}`,
    );
  }
  const isDestroy = operation === "create-teardown-plan" || inner.destroy === true;
  return { action, isDestroy };
}

function parsed<T extends z.ZodType>(schema: T, given: unknown, where: string): z.output<T> {
  const { data, error } = schema.safeParse(given);
  if (data !== undefined) return data;
  throw invalidPlan(`${where}${firstFault(error)}`);
}

function planBytes(contents: string | null | undefined, { plan_json }: Body): Buffer {
  if (contents) return Buffer.from(contents, "base64");
  if (plan_json != null && plan_json.length > 0) return Buffer.from(plan_json);
  throw invalidPlan("apply_plan_contents is missing: the plan to apply");
}

function millis(given: number | null | undefined): number | undefined {
  return given == null || given <= 0 ? undefined : given / 1e6;
}
