import path from "node:path";
import { makeJobFolders, readJobText, writeJobFileOnce } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import type { CommandEnd } from "../../jobs/stored-execution.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import type { ManifestText } from "../../kubernetes/read-objects.ts";
import { findProgram } from "../../processes/find-program.ts";
import type { Kustomize } from "./manifest-run.ts";

type Where = {
  /** The whole source; `place` is the kustomization's directory in it. */
  readonly folder: string;
  readonly place: string;
  readonly env: Readonly<Record<string, string>>;
};

const mostBuiltBytes = 9 * 2 ** 20;
const mostSaidBytes = 2 ** 16;

/** The output of kustomize, or of the one in kubectl, for a directory. Throws a JobFailure with its error. */
export async function buildKustomization(
  job: Job,
  given: Kustomize,
  { place, env }: Where,
): Promise<ManifestText[]> {
  const { secrets, owner, workspace } = job.directories;
  const target = await withPatches(job, given.patches ?? [], place);
  const [built, said] = [path.join(secrets, "kustomized"), path.join(secrets, "kustomize.said")];
  const options = [
    "--load-restrictor",
    given.load_restrictor === "none" ? "LoadRestrictionsNone" : "LoadRestrictionsRootOnly",
    ...(given.enable_helm === true ? ["--enable-helm"] : []),
  ];
  const end = await job.run({
    key: "kustomize",
    step: "kustomize",
    // Its output and its errors may contain secrets: both go to memory.
    argv: ["sh", "-c", 'umask 077; exec "$@" >"$SVC_BUILT" 2>"$SVC_SAID"', "sh"].concat(
      await kustomizeOf(env),
      [target],
      options,
    ),
    cwd: workspace,
    env: { ...env, SVC_BUILT: built, SVC_SAID: said },
  });
  if (end.why === "exited" && end.code === 0) {
    const text = await readJobText(built, owner, mostBuiltBytes);
    return [{ name: "the output of kustomize", text }];
  }
  throw kustomizeFailure(job, end, await readJobText(said, owner, mostSaidBytes));
}

async function kustomizeOf(env: Readonly<Record<string, string>>): Promise<string[]> {
  const where = { cwd: "/", search: env["PATH"] ?? "" };
  if ((await findProgram("kustomize", where)) !== undefined) return ["kustomize", "build"];
  if ((await findProgram("kubectl", where)) !== undefined) return ["kubectl", "kustomize"];
  throw new JobFailure("The plan needs kustomize or kubectl, and neither is on this host's PATH.", {
    reason: "tool_missing",
  });
}

/** A kustomization of our own on top of the source's, for the patches that the plan gives. */
async function withPatches(job: Job, patches: readonly string[], place: string): Promise<string> {
  if (patches.length === 0) return place;
  const { workspace, owner } = job.directories;
  const folder = path.join(workspace, "sources", "patched");
  await makeJobFolders([folder], owner);
  const inline = [];
  for (const patch of patches) {
    // One line without a colon is the name of a file.
    const isFile = !/[\n:{]/.test(patch);
    const text = isFile
      ? await readJobText(path.resolve(place, patch), owner, mostBuiltBytes)
      : patch;
    if (text === "") throw deployFailure(`The source has no patch ${patch}.`, "not_found");
    inline.push({ patch: text });
  }
  const resources = [path.relative(folder, place)];
  const apiVersion = "kustomize.config.k8s.io/v1beta1";
  const whole = { apiVersion, kind: "Kustomization", resources, patches: inline };
  await writeJobFileOnce(path.join(folder, "kustomization.yaml"), JSON.stringify(whole), owner);
  return folder;
}

function kustomizeFailure(job: Job, end: CommandEnd, said: string): Error {
  const shown = job.redact(said);
  const complaint = shown
    .split("\n")
    .findLast((line) => line.trim() !== "")
    ?.replace(/^error: /i, "")
    .slice(0, 1_000);
  const words = end.why === "exited" && complaint !== undefined ? complaint : end.words;
  if (end.why === "stopped") return deployFailure(`kustomize ${words}.`, "canceled");
  return deployFailure(
    `kustomize cannot build the manifest: ${words.replace(/\.$/, "")}.`,
    "config_invalid",
  );
}
