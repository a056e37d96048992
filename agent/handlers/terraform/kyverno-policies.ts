import { lstat } from "node:fs/promises";
import path from "node:path";
import type { z } from "zod";
import { mostClusterPolicies } from "../../../shared/policies/most-cluster-policies.ts";
import { makeJobFolders, writeJobFile } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { invalidPlan } from "../../jobs/job-failure.ts";
import type { policiesSchema } from "./policies.ts";

/** Policies of a cluster that the run's own files apply: where they are laid, and each by its file's name. */
export type KyvernoPolicies = {
  readonly folder: string;
  readonly files: readonly (readonly [name: string, text: string])[];
};

const { files: mostFiles, bytes: mostBytes } = mostClusterPolicies;
const folderShape = /^(?:\.\/)?\w[\w.-]{0,99}(?:\/\w[\w.-]{0,99}){0,9}$/;
const nameShape = /^\w[\w.-]{0,99}\.ya?ml$/;

/** Those of a plan that names a folder for them. Throws a JobFailure that names the invalid member. */
export function readKyvernoPolicies(
  folder: string | null | undefined,
  given: z.infer<typeof policiesSchema>,
): KyvernoPolicies | undefined {
  if (!folder) return undefined;
  if (!folderShape.test(folder))
    throw invalidPlan("kyverno_policies_dir is not a folder below the source's");
  if (Array.isArray(given))
    throw invalidPlan(
      "policies is a list, and kyverno_policies_dir is set: give texts by their files' names",
    );
  const files = Object.entries(given ?? {});
  const wrong = files.find(([name]) => !nameShape.test(name));
  if (wrong !== undefined)
    throw invalidPlan(
      `policies has the name ${wrong[0].slice(0, 100)}, which is no file of YAML: use name.yaml`,
    );
  const bytes = files.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0);
  if (files.length > mostFiles || bytes > mostBytes)
    throw invalidPlan(
      `policies has more than ${mostFiles} files, or more than ${mostBytes} bytes of them`,
    );
  return { folder, files };
}

/** Lays them where the plan says, in place of the source's files of their names. */
export async function writeKyvernoPolicies(
  job: Job,
  cwd: string,
  policies: KyvernoPolicies | undefined,
): Promise<void> {
  if (policies === undefined) return;
  const { owner } = job.directories;
  const folder = path.join(cwd, policies.folder);
  await job.once("terraform/kyverno", async () => {
    await refuseLinks(cwd, policies.folder);
    await makeJobFolders([folder], owner);
    for (const [name, text] of policies.files)
      await writeJobFile(path.join(folder, name), text, owner);
  });
}

/** What a source has at that place may lead elsewhere. */
async function refuseLinks(cwd: string, folder: string): Promise<void> {
  let at = cwd;
  for (const part of folder.split("/")) {
    at = path.join(at, part);
    const found = await lstat(at).catch(() => undefined);
    if (found !== undefined && !found.isDirectory())
      throw invalidPlan(`kyverno_policies_dir is ${folder}, which is no folder in the source`);
  }
}
