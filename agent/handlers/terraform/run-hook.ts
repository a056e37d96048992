import path from "node:path";
import { writeJobFileOnce } from "../../job-users/job-files.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import type { HookName } from "./hooks.ts";
import type { TerraformContext } from "./terraform-context.ts";

/** Runs a hook if the plan has one. If the hook fails, the job fails, even when terraform has succeeded before it. */
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
