import path from "node:path";
import { z } from "zod";
import { writeJobFileOnce } from "../../job-users/job-files.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import type { TerraformContext } from "./terraform-context.ts";

export const hookNames = [
  "pre_plan",
  "post_plan",
  "pre_apply",
  "post_apply",
  "pre_destroy",
  "post_destroy",
] as const;
export type HookName = (typeof hookNames)[number];

const hook = z.looseObject({
  command: z.string().nullish(),
  inline_contents: z.string().nullish(),
  env_vars: z.record(z.string(), z.string()).nullish(),
  timeout: z.number().nullish(),
});
const either = z.union([z.string(), hook]).nullish();
export const hooksSchema = z
  .looseObject(Object.fromEntries(hookNames.map((name) => [name, either])))
  .nullish();

/** A script that runs beside terraform, in its folder. */
export type Hook = {
  readonly text: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
};
export type Hooks = Partial<Readonly<Record<HookName, Hook>>>;

const usualTimeoutMs = 60_000;

/** The hooks of a plan, by name. */
export function readHooks(given: z.infer<typeof hooksSchema>): Hooks {
  const found: Partial<Record<HookName, Hook>> = {};
  for (const name of hookNames) {
    const one = either.parse(given?.[name]);
    const read = typeof one === "string" ? { command: one } : one;
    const text = read?.inline_contents || read?.command || "";
    if (read == null || text.trim() === "") continue;
    const { env_vars, timeout } = read;
    const timeoutMs = timeout == null || timeout <= 0 ? usualTimeoutMs : timeout / 1e6;
    found[name] = { text, env: env_vars ?? {}, timeoutMs };
  }
  return found;
}

/** Runs a hook if the plan has it: the job fails when it does, after what it came after, too. */
export async function runHook(context: TerraformContext, name: HookName): Promise<void> {
  const { job, run, cwd } = context;
  const hook = run.hooks[name];
  if (hook === undefined) return;
  const { secrets, owner } = job.directories;
  const file = path.join(secrets, `hook-${name}`);
  await writeJobFileOnce(file, hook.text, owner);
  const end = await job.run({
    key: `hook/${name}`,
    step: name,
    argv: ["bash", "--noprofile", "--norc", "-eo", "pipefail", file],
    cwd,
    env: { ...context.scriptEnv(hook.env), SVC_TERRAFORM_HOOK: name },
    timeoutMs: hook.timeoutMs,
  });
  if (end.why === "exited" && end.code === 0) return;
  throw new JobFailure(`The hook ${name} ${end.words}.`, {
    reason: end.why === "timed-out" ? "timeout_step" : "step_failed",
    class: "hook",
    code: end.code || 1,
    metadata: { step: name },
  });
}
