import { readdir } from "node:fs/promises";
import path from "node:path";
import { readJobText } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import type { ManifestText } from "../../kubernetes/read-objects.ts";
import { fetchSource, type SourceHere } from "../../sources/fetch-source.ts";
import { folderWithin } from "../../sources/folder-within.ts";
import type { Source } from "../../sources/source.ts";
import { renderTexts } from "../../templates/render-texts.ts";
import { buildKustomization } from "./build-kustomization.ts";
import type { ManifestRun } from "./manifest-run.ts";

const mostFileBytes = 9 * 2 ** 20; // more than the limit, so that the limit is reported
const mostFiles = 500;

/**
 * The texts of a manifest: the plan's own, the output of kustomize for a directory, the files that the plan names, or
 * all files of a directory. Those of a source are rendered, the plan's own was. Throws JobFailure.
 */
export async function gatherManifest(
  job: Job,
  run: ManifestRun,
  env: Readonly<Record<string, string>>,
): Promise<ManifestText[]> {
  if (run.manifest.trim() !== "") return [{ name: "manifest", text: run.manifest }];
  if (run.source === undefined) return [];
  const { folder, directory } = await fetchManifest(job, run.source, env);
  if (run.kustomize !== undefined) {
    const place = await folderWithin(directory, run.kustomize.path ?? "", "The kustomization");
    const built = await buildKustomization(job, run.kustomize, { folder, place, env });
    return await renderTexts(job, built, run.known);
  }
  const names = run.files.length > 0 ? run.files : await filesOf(directory);
  const texts: ManifestText[] = [];
  for (const name of names) {
    const parent = await folderWithin(directory, path.dirname(name), "The manifest");
    const file = path.join(parent, path.basename(name));
    const text = await readJobText(file, job.directories.owner, mostFileBytes);
    if (text === "") throw deployFailure(`The source has no file ${name}.`, "not_found");
    texts.push({ name, text });
  }
  return await renderTexts(job, texts, run.known);
}

async function fetchManifest(
  job: Job,
  source: Source,
  env: Readonly<Record<string, string>>,
): Promise<SourceHere> {
  const how = { name: "manifest", key: "source", step: "fetch", title: "The manifest", env };
  const fetched = await fetchSource(job, source, how);
  // A source in the plan itself has no revision.
  if (fetched.revision !== "" && source.kind !== "archive")
    job.log(`The source is at ${fetched.revision}.`, "info", "fetch", "at");
  return fetched;
}

async function filesOf(folder: string): Promise<string[]> {
  const found = await readdir(folder, { withFileTypes: true });
  const names = found
    .filter((one) => one.isFile() && /\.(?:ya?ml|json)$/.test(one.name))
    .map(({ name }) => name)
    .sort();
  if (names.length === 0) {
    throw deployFailure("The source's directory has no .yaml, .yml or .json file.", "not_found");
  }
  if (names.length > mostFiles) {
    const words = `The source's directory has more than ${mostFiles} manifests: name them in files.`;
    throw deployFailure(words, "config_invalid");
  }
  return names;
}
