import { existsSync } from "node:fs";
import path from "node:path";
import type { Provenance } from "../../artifacts/provenance.ts";
import { type Pushed, type PushRequest, pushTold } from "../../artifacts/push-request.ts";
import { readJobText, writeJobFileOnce } from "../../job-users/job-files.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import type { RegistryLogin } from "../../registry/log-in.ts";
import { RegistryFault } from "../../registry/registry-fault.ts";
import { signIn } from "../../registry/sign-in.ts";
import { buildClassOf, buildFailure, endReasons } from "./build-failure.ts";
import type { BuildContext } from "./builder.ts";

/** What is pushed, and what is known of it besides. */
export type Built = Pick<PushRequest, "artifact" | "layout"> & { readonly provenance: Provenance };

const mostToldBytes = 2 ** 16;

/**
 * Pushes an artifact by a child of this program that runs as the job's user. The child outlives the agent, and an agent
 * that goes on hears what it did. Throws JobFailure.
 */
export async function pushBuild(context: BuildContext, built: Built): Promise<Pushed> {
  const { job, run, env } = context;
  const { secrets, workspace, owner } = job.directories;
  const { origin, repository } = run.target;
  const where = `${origin.replace(/^https?:\/\//, "")}/${repository}:${run.tag}`;
  const told = path.join(secrets, "push.told");
  const file = path.join(secrets, "push.json");
  if (!existsSync(file)) {
    const login = await signedIn(context, where);
    await writeJobFileOnce(
      file,
      JSON.stringify({ ...requestOf(context, built), login, told }),
      owner,
    );
  }
  const end = await job.run({
    key: "push",
    step: "push",
    argv: ["svc-agent", "artifact", "push", file],
    cwd: workspace,
    env: { ...env, NODE_USE_ENV_PROXY: "1" },
  });
  const said = await readJobText(told, owner, mostToldBytes);
  const answer = said === "" ? undefined : pushTold.parse(JSON.parse(said));
  if (answer !== undefined && "digest" in answer) return answer;
  if (answer !== undefined) throw failureOf(context, where, answer);
  const reason = endReasons[end.why] ?? "build_failed";
  throw new JobFailure(`It cannot be pushed to ${where}: the push ${end.words}.`, { reason });
}

async function signedIn(context: BuildContext, where: string): Promise<RegistryLogin> {
  try {
    return await signIn(context.job, context.run.target);
  } catch (error) {
    if (!(error instanceof RegistryFault)) throw error;
    throw failureOf(context, where, { class: error.class, words: error.message });
  }
}

type Why = { readonly class: string; readonly words: string };

function failureOf({ job }: BuildContext, where: string, { class: kind, words }: Why): JobFailure {
  const all = `It cannot be pushed to ${where}: ${job.redact(words)}.`;
  return buildFailure(all, buildClassOf(kind));
}

function requestOf(
  { run: { target, tag } }: BuildContext,
  built: Built,
): Omit<PushRequest, "login" | "told"> {
  const { origin, repository } = target;
  return { registry: { origin, repository }, tag, ...built };
}
