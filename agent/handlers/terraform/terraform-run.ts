import { z } from "zod";
import { firstFault } from "../../../shared/issue-words.ts";
import { type Credentials, readCredentials } from "../../credentials/read-credentials.ts";
import type { JobInfo, Plan } from "../../jobs/handler.ts";
import { invalidPlan } from "../../jobs/job-failure.ts";
import { readSource } from "../../sources/read-source.ts";
import type { Source } from "../../sources/source.ts";
import { type PlanState, readPlanState } from "../../templates/render-texts.ts";
import { type Hooks, hooksSchema, readHooks } from "./hooks.ts";
import { type KyvernoPolicies, readKyvernoPolicies } from "./kyverno-policies.ts";
import { policiesSchema, type Policy, readPolicies } from "./policies.ts";

const text = z.string().nullish();
const texts = z.array(z.string()).nullish();
const flag = z.boolean().nullish();
const words = z.record(z.string(), z.string()).nullish();
const ns = z.number().nullish();
const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "is not a SHA-256: use 64 hexadecimal digits")
  .nullish();

const body = z.looseObject({
  vars: z.record(z.string(), z.unknown()).nullish(),
  vars_files: texts,
  env_vars: words,
  secret_env_vars: words,
  terraform_backend: z.looseObject({ WorkspaceID: text, workspaceID: text }).nullish(),
  terraform_version: text,
  tool: z.enum(["terraform", "opentofu"]).nullish(),
  hooks: hooksSchema,
  policies: policiesSchema,
  kyverno_policies_dir: text,
  destroy: flag,
  refresh_only: flag,
  plan_only: flag,
  targets: texts,
  replace: texts,
  approved: z
    .looseObject({ plan_sha256: sha256, lock_sha256: sha256, source_revision: text })
    .nullish(),
  timeout: ns,
  cancel_patience: ns,
  lock_timeout: ns,
});
const whole = z.looseObject({
  terraform: z.looseObject({}).nullish(),
  approved: body.shape.approved,
  apply_plan_contents: text,
  timeout: ns,
});
type Body = z.infer<typeof body>;

/** A validated terraform job, with its defaults. */
export type TerraformRun = {
  readonly tool: "terraform" | "opentofu";
  /** The requested version, if any. */
  readonly version: string | undefined;
  readonly action: "plan" | "apply" | "exec";
  readonly isDestroy: boolean;
  /** It only looks for changes that were made elsewhere. */
  readonly isRefreshOnly: boolean;
  readonly workspaceId: string;
  readonly source: Source;
  readonly vars: Readonly<Record<string, unknown>>;
  readonly varsFiles: readonly string[];
  /** What templates in variables of the source are rendered with. */
  readonly known: PlanState | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly targets: readonly string[];
  readonly replace: readonly string[];
  readonly hooks: Hooks;
  readonly policies: readonly Policy[];
  readonly kyverno: KyvernoPolicies | undefined;
  readonly approved: {
    readonly plan: string | undefined;
    readonly lock: string | undefined;
    readonly revision: string | undefined;
  };
  /** The plan file to apply. */
  readonly planFile: Buffer | undefined;
  readonly timeoutMs: number | undefined;
  /** The time that terraform has to stop after a SIGINT; the agent's setting by default. */
  readonly patienceMs: number | undefined;
  readonly lockTimeoutMs: number;
  readonly credentials: Credentials;
};

const usualLockTimeoutMs = 60_000;

/** Reads the plan of a terraform job. Throws a JobFailure that names the invalid member. */
export function readTerraformRun(plan: Plan, info: JobInfo): TerraformRun {
  const outer = parsed(whole, plan, "");
  const inner = parsed(body, outer.terraform ?? plan, outer.terraform == null ? "" : "terraform.");
  const { WorkspaceID: own, workspaceID: spelt } = inner.terraform_backend ?? {};
  const workspaceId = own || spelt || "";
  if (own && spelt && own !== spelt) {
    throw invalidPlan("terraform_backend names two workspaces: WorkspaceID and workspaceID differ");
  }
  if (!/^tfw_\w{1,60}$/.test(workspaceId)) {
    throw invalidPlan("terraform_backend.WorkspaceID is not the id of a workspace: tfw_…");
  }
  const source = readSource(outer.terraform ?? plan) ?? readSource(plan);
  if (source === undefined) {
    throw invalidPlan(
      "the source is missing: set source.git, source.oci, source.archive or source.path",
    );
  }
  const asked = askedOf(info, inner);
  const approved = outer.approved ?? inner.approved;
  const kyverno = readKyvernoPolicies(inner.kyverno_policies_dir, inner.policies);
  return {
    ...asked,
    tool: inner.tool ?? "terraform",
    version: inner.terraform_version?.replace(/^v/, "") || undefined,
    workspaceId,
    source,
    vars: inner.vars ?? {},
    varsFiles: inner.vars_files ?? [],
    known: readPlanState(inner, plan),
    env: { ...inner.env_vars, ...inner.secret_env_vars },
    targets: addresses(inner.targets, "targets"),
    replace: addresses(inner.replace, "replace"),
    hooks: readHooks(inner.hooks),
    policies: kyverno === undefined ? readPolicies(inner.policies) : [],
    kyverno,
    approved: {
      plan: approved?.plan_sha256 ?? undefined,
      lock: approved?.lock_sha256 ?? undefined,
      revision: approved?.source_revision ?? undefined,
    },
    planFile: asked.action === "apply" ? planBytes(outer.apply_plan_contents) : undefined,
    timeoutMs: millis(outer.timeout ?? inner.timeout),
    patienceMs: millis(inner.cancel_patience),
    lockTimeoutMs: millis(inner.lock_timeout) ?? usualLockTimeoutMs,
    credentials: readCredentials(inner),
  };
}

type Asked = Pick<TerraformRun, "action" | "isDestroy" | "isRefreshOnly">;

function askedOf({ type, operation }: JobInfo, inner: Body): Asked {
  const isRefreshOnly = inner.refresh_only === true;
  const isDestroy = operation === "create-teardown-plan" || inner.destroy === true;
  if (isRefreshOnly && isDestroy) {
    throw invalidPlan("refresh_only and a teardown exclude each other");
  }
  const plans = type === "sandbox-terraform-plan" || inner.plan_only === true;
  const actions: Readonly<Record<string, Asked["action"]>> = {
    "create-apply-plan": "plan",
    "create-teardown-plan": "plan",
    "apply-plan": "apply",
    exec: plans ? "plan" : "exec",
  };
  const action = actions[operation];
  if (action === undefined) {
    throw invalidPlan(
      `terraform has no operation ${operation}: use one of create-apply-plan, create-teardown-plan, apply-plan, exec`,
    );
  }
  if (action === "apply" && type === "sandbox-terraform-plan") {
    throw invalidPlan("a job of type sandbox-terraform-plan cannot apply a plan");
  }
  return { action, isDestroy, isRefreshOnly };
}

function parsed<T extends z.ZodType>(schema: T, given: unknown, where: string): z.output<T> {
  const { data, error } = schema.safeParse(given);
  if (data !== undefined) return data;
  throw invalidPlan(`${where}${firstFault(error)}`);
}

/** Refuses addresses with a leading dash, which terraform would read as options. */
function addresses(given: readonly string[] | null | undefined, member: string): string[] {
  const wrong = given?.find((address) => address.trim() === "" || /^-|[\0\n]/.test(address));
  if (wrong !== undefined) throw invalidPlan(`${member} contains an invalid resource address`);
  return [...(given ?? [])];
}

function planBytes(contents: string | null | undefined): Buffer {
  if (!contents) throw invalidPlan("apply_plan_contents is missing: the plan to apply");
  return Buffer.from(contents, "base64");
}

function millis(given: number | null | undefined): number | undefined {
  return given == null || given <= 0 ? undefined : given / 1e6;
}
