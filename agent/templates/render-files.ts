import path from "node:path";
import {
  linkJobFile,
  makeJobFolders,
  readJobText,
  writeJobFileOnce,
} from "../job-users/job-files.ts";
import type { Job } from "../jobs/handler.ts";
import { type PlanState, renderTexts } from "./render-texts.ts";
import { type FilesOf, mostTextBytes, takeOriginals } from "./take-originals.ts";

/**
 * Renders files in the job's own copy of an artifact: in the place of each is a link to what it is now, in memory, so that a tool reads it
 * where it looks for it. Throws JobFailure that names each file and line.
 */
export async function renderFiles(
  job: Job,
  files: FilesOf,
  known: PlanState | undefined,
): Promise<void> {
  if (known === undefined) return;
  const { secrets, owner } = job.directories;
  const originals = await takeOriginals(job, files);
  if (originals.length === 0) return;
  const texts = [];
  for (const { name, kept } of originals)
    texts.push({ name, text: await readJobText(kept, owner, mostTextBytes) });
  const rendered = await renderTexts(job, texts, known);
  const into = path.join(secrets, `rendered-${files.key}`);
  await makeJobFolders([into], owner);
  for (const [at, { name, text }] of rendered.entries()) {
    if (text === texts[at]?.text) continue;
    const file = path.join(into, String(at));
    await writeJobFileOnce(file, text, owner);
    await linkJobFile(path.join(files.folder, name), file, owner);
  }
}
