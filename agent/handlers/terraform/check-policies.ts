import path from "node:path";
import { readJobText, writeJobFileOnce } from "../../job-users/job-files.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { findProgram } from "../../processes/find-program.ts";
import type { Policy } from "./policies.ts";
import { type PolicyVerdict, readPolicyVerdict } from "./policy-verdict.ts";
import type { TerraformContext } from "./terraform-context.ts";

/**
 * Evaluates the job's policies for its plan, in which sensitive values are hidden. Throws JobFailure when one denies,
 * or cannot be evaluated: an error is no consent.
 */
export async function checkPolicies(context: TerraformContext, shownPlan: string): Promise<void> {
  const { job, run } = context;
  if (run.policies.length === 0) return;
  const { secrets, owner } = job.directories;
  // Policies of opa read it as `input.plan`, those of conftest as `input`.
  const inputs = { opa: `{"plan":${shownPlan}}`, conftest: shownPlan };
  const denied: { readonly policy: string; readonly message: string }[] = [];
  for (const [at, policy] of run.policies.entries()) {
    const input = path.join(secrets, `policy-input.${policy.engine}.json`);
    await writeJobFileOnce(input, inputs[policy.engine], owner);
    const { deny, warn } = await evaluate(context, policy, { at, input });
    for (const message of warn) {
      job.log(
        `Policy ${policy.name} warns: ${message}`,
        "warn",
        "policies",
        `warn ${at} ${message}`,
      );
    }
    denied.push(...deny.map((message) => ({ policy: policy.name, message })));
    if (deny.length === 0) job.log(`Policy ${policy.name} passes.`, "info", "policies", `ok ${at}`);
  }
  const [first] = denied;
  if (first === undefined) return;
  const detail = denied.map((one) => `${one.policy}: ${one.message}`).join("; ");
  throw new JobFailure(`A policy denies the plan: ${detail}.`, {
    reason: "tool_failed",
    class: "policy",
    composite: {
      type: "terraform.policy",
      title: "A policy denies the plan",
      detail,
      retryable: false,
      violations: denied.slice(0, 20),
    },
  });
}

type Evaluation = { readonly at: number; readonly input: string };

async function evaluate(
  context: TerraformContext,
  policy: Policy,
  { at, input }: Evaluation,
): Promise<PolicyVerdict> {
  const { job, cwd } = context;
  const { secrets, owner } = job.directories;
  const env = context.scriptEnv({});
  const program = await findProgram(policy.engine, { cwd, search: env["PATH"] ?? "" });
  if (program === undefined) throw missing(policy);
  const file = path.join(secrets, `policy-${at}.rego`);
  const out = path.join(secrets, `policy-${at}.json`);
  await writeJobFileOnce(file, policy.contents, owner);
  const args =
    policy.engine === "opa"
      ? ["eval", "--format", "json", "--data", file, "--input", input, "data"]
      : ["test", "--all-namespaces", "--output", "json", "--policy", file, input];
  const end = await job.run({
    key: `policy/${at}`,
    step: "policies",
    argv: ["sh", "-c", 'exec "$@" >"$SVC_OUT"', "svc-policy", program, ...args],
    cwd,
    env: { ...env, SVC_OUT: out },
    timeoutMs: patienceMs,
  });
  const verdict = readPolicyVerdict(await readJobText(out, owner, mostVerdictBytes));
  const isWell = end.why === "exited" && (end.code === 0 || policy.engine === "conftest");
  if (verdict === undefined || !isWell) {
    const why = isWell
      ? "deny, violation and warn must be strings, sets of strings, or booleans"
      : `it ${end.words}`;
    throw new JobFailure(`The policy ${policy.name} cannot be evaluated: ${why}.`, {
      reason: "tool_failed",
      class: "policy",
    });
  }
  return verdict;
}

const patienceMs = 120_000;
const mostVerdictBytes = 4 * 2 ** 20;

function missing({ name, engine }: Policy): JobFailure {
  return new JobFailure(
    `The policy ${name} needs ${engine}, which is not on this host's PATH: install it, or remove the policy.`,
    { reason: "tool_missing", class: "tool_missing", metadata: { tool: engine } },
  );
}
