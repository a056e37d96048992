import path from "node:path";
import type { Brands } from "../../../shared/brands.ts";
import { readJobText, writeJobFile } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { readYaml } from "../../kubernetes/read-yaml.ts";
import {
  type FilesOf,
  mostTextBytes,
  type Original,
  takeOriginals,
} from "../../templates/take-originals.ts";
import { standsInHcl } from "./stands-in-hcl.ts";
import { type Placeheld, placehold } from "./template-placeholders.ts";

/**
 * Puts what a tool can read in the place of files with templates of ours: a word for each, or nothing where they decide what there is, or
 * where words break the file. It answers those whose place is taken, and where each is kept. Repeated with the same key it does the same. Throws JobFailure.
 */
export async function putAside(job: Job, files: FilesOf, brands: Brands): Promise<Original[]> {
  const { owner } = job.directories;
  const aside: Original[] = [];
  for (const original of await takeOriginals(job, files)) {
    const text = await readJobText(original.kept, owner, mostTextBytes);
    const held = placehold(text, brands);
    if (!held.hasTemplates) continue;
    const isUsable = !held.hasBlocks && (await isReadable(original.name, held));
    const put = isUsable ? held.text : nothingIn(original.name);
    await writeJobFile(path.join(files.folder, original.name), put, owner);
    aside.push(original);
  }
  return aside;
}

/** Of HCL what words for templates do not break: the tool that reads it tells what else is wrong. */
async function isReadable(name: string, held: Placeheld): Promise<boolean> {
  if (name.endsWith(".tfvars")) return standsInHcl(held);
  return await readYaml(held.text).then(
    () => true,
    () => false,
  );
}

const nothingIn = (name: string): string => (name.endsWith(".tfvars") ? "" : "{}\n");
