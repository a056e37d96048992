import { once } from "node:events";
import path from "node:path";
import { readJobText } from "../../job-users/job-files.ts";
import type { Job, JobResult } from "../../jobs/handler.ts";
import { findDigest } from "../../registry/manifests.ts";
import { makeRegistryClient } from "../../registry/registry-client.ts";
import { RegistryFault } from "../../registry/registry-fault.ts";
import { signIn } from "../../registry/sign-in.ts";
import { usesProxy } from "../../registry/uses-proxy.ts";
import { gitAccess } from "../../sources/git-access.ts";
import type { GitSource, Source } from "../../sources/source.ts";
import type { BuildRun } from "./build-run.ts";
import { builderOf } from "./source-checksum.ts";

type Previous = NonNullable<BuildRun["plan"]["previous"]>;

/**
 * The result of a build of a commit that was built before by the same plan and the same version of the builder, and whose artifact is
 * still there: nothing is fetched. Undefined where it must be built. What cannot be found out is left to the build, which says why.
 */
export async function unchangedBuild(job: Job, run: BuildRun): Promise<JobResult | undefined> {
  const { previous } = run.plan;
  const { source } = run;
  if (previous == null || source === undefined || previous.builder !== builderOf(run))
    return undefined;
  const isSame = await job.once(
    "build/unchanged",
    async () => (await newestOf(job, source)) === previous.source_ref && (await isKept(job, run)),
  );
  if (!isSame) return undefined;
  job.log(`Nothing has changed since ${sinceOf(previous)}.`, "info", "source", "revision");
  return resultOf(run, previous);
}

/** A folder that came with the config says by its digest what it is. */
async function newestOf(job: Job, source: Source): Promise<string> {
  if (source.kind === "blob") return source.digest;
  return source.kind === "git" ? await newestCommit(job, source.git) : "";
}

const sinceOf = ({ source_ref: ref }: Previous): string =>
  ref.includes(":") ? `the folder was ${ref}` : `commit ${ref}`;

function resultOf({ target }: BuildRun, previous: Previous): JobResult {
  const { digest, media_type, size, source_ref, source_checksum, builder } = previous;
  return {
    description: `Nothing has changed since ${sinceOf(previous)}: the artifact is ${digest}.`,
    outputs: {
      digest,
      media_type,
      size,
      registry: target.origin.replace(/^https?:\/\//, ""),
      repository: target.repository,
      source_checksum,
      source_ref,
      builder,
      unchanged: true,
    },
  };
}

async function isKept(job: Job, { target, plan }: BuildRun): Promise<boolean> {
  const digest = plan.previous?.digest ?? "";
  try {
    const isProxied = usesProxy(job.agent.networkEnv);
    const client = makeRegistryClient(target, await signIn(job, target), { isProxied });
    return (await Promise.race([findDigest(client, digest), aborted(job.signal)])) === digest;
  } catch (error) {
    if (error instanceof RegistryFault) return false;
    throw error;
  }
}

const aborted = async (signal: AbortSignal): Promise<undefined> => {
  if (!signal.aborted) await once(signal, "abort");
};

/** The commit that a branch or tag has now, as git would fetch it; empty where it cannot be told. */
async function newestCommit(job: Job, git: GitSource): Promise<string> {
  if (git.commit !== undefined) return git.commit;
  if (/^[0-9a-f]{40}$/.test(git.ref ?? "")) return git.ref ?? "";
  const { workspace, secrets, owner } = job.directories;
  const access = await gitAccess(job, git, "git-look");
  const found = path.join(secrets, "git-look.found");
  const names = namesOf(git);
  const end = await job.run({
    key: "look",
    step: "source",
    argv: [
      "sh",
      "-c",
      'git ls-remote "$@" >"$SVC_GIT_FOUND" 2>/dev/null',
      "sh",
      access.url,
      ...names,
    ],
    cwd: workspace,
    env: {
      PATH: job.agent.config.env["PATH"] ?? "",
      ...job.agent.networkEnv,
      ...access.env,
      SVC_GIT_FOUND: found,
    },
  });
  if (end.why !== "exited" || end.code !== 0) return "";
  const lines = (await readJobText(found, owner, mostFoundBytes)).split("\n");
  const commits = new Map(lines.map((line) => line.split("\t").toReversed() as [string, string]));
  return names.flatMap((name) => commits.get(name) ?? [])[0] ?? "";
}

const mostFoundBytes = 2 ** 16;

/** What git takes a name for, in its order; a tag with a message is the commit that it is of. */
function namesOf({ tag, ref }: GitSource): readonly string[] {
  if (tag !== undefined) return [`refs/tags/${tag}^{}`, `refs/tags/${tag}`];
  if (ref === undefined || ref === "HEAD") return ["HEAD"];
  if (ref.startsWith("refs/")) return [`${ref}^{}`, ref];
  return [`refs/${ref}`, `refs/tags/${ref}^{}`, `refs/tags/${ref}`, `refs/heads/${ref}`];
}
