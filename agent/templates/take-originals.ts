import { realpath } from "node:fs/promises";
import path from "node:path";
import { makeJobFolders, readJobText, writeJobFile } from "../job-users/job-files.ts";
import type { Job } from "../jobs/handler.ts";
import { deployFailure } from "../kubernetes/deploy-failure.ts";

/** A file of an artifact whose place another text takes, and where its own is kept. */
export type Original = { readonly name: string; readonly kept: string };

/** Files of a folder, by their paths in it. */
export type FilesOf = {
  /** Names these files within the job. */
  readonly key: string;
  readonly folder: string;
  readonly names: readonly string[];
};

export const mostTextBytes = 4 * 2 ** 20;

/**
 * Copies those of the files that have actions of templates, and are in the folder, out of it. Repeated with the same key it answers
 * the same, whatever is in their places by then. Throws JobFailure.
 */
export async function takeOriginals(
  job: Job,
  { key, folder, names }: FilesOf,
): Promise<readonly Original[]> {
  const { workspace, owner } = job.directories;
  const into = path.join(workspace, "templates", key);
  const keptAt = (at: number): string => path.join(into, String(at));
  const found = await job.once(`templates/${key}`, async () => {
    await makeJobFolders([into], owner);
    const root = await realpath(folder);
    const kept: { readonly name: string; readonly at: number }[] = [];
    for (const [at, name] of names.entries()) {
      const place = await realpath(path.join(folder, name)).catch(() => "");
      if (!place.startsWith(`${root}${path.sep}`)) continue;
      const text = await readJobText(place, owner, mostTextBytes + 1);
      if (Buffer.byteLength(text) > mostTextBytes)
        throw deployFailure(
          `${name} is longer than 4 MiB: give it in several files.`,
          "config_invalid",
        );
      if (!text.includes("{{")) continue;
      await writeJobFile(keptAt(at), text, owner);
      kept.push({ name, at });
    }
    return kept;
  });
  return found.map(({ name, at }) => ({ name, kept: keptAt(at) }));
}
