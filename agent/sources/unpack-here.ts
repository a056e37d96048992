import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Job } from "../jobs/handler.ts";
import { readArchiveText } from "./read-archive-text.ts";
import { sourceFailure, SourceFault } from "./source-failure.ts";
import type { FetchedSource, Source, SourceFetch } from "./source.ts";
import { unpackInto } from "./unpack/unpack-entries.ts";

type Archive = Extract<Source, { readonly kind: "archive" }>;
type Here = SourceFetch & {
  readonly folder: string;
  /** The source, as people read it. */
  readonly what: string;
};
type Said = { readonly revision: string; readonly words: string };

/** Base64 of it; a process that does nothing else costs as much as unpacking so much a hundred times. */
const mostText = 2 ** 20;
/** What becomes more than this is work for another process, which can be stopped and has its own memory. */
const small = { mostBytes: 16 * 2 ** 20, mostEntries: 2_000 };

/**
 * Unpacks a small archive of a plan in this process, where the job has no user of its own; undefined where that is for a
 * child to do. Its folder appears whole or not at all. Throws JobFailure.
 */
export async function unpackHere(
  job: Job,
  { contents }: Archive,
  here: Here,
): Promise<FetchedSource | undefined> {
  if (job.directories.owner !== undefined || contents.length > mostText) return undefined;
  const { key, folder, step } = here;
  const beganMs = performance.now();
  const said = await job.once(`${key}/here`, async () => {
    // It can be there without having been made here by a former version of this program only, whose child knows more.
    if (existsSync(folder)) return null;
    return await unpack(contents, job.agent.config.sourceSize, folder).catch((error: unknown) => {
      if (!(error instanceof SourceFault)) throw error;
      if (error.class === "too_large") return null;
      const end = { code: 1, why: "exited", words: "failed", tookMs: 0 } as const;
      const words = job.redact(error.message);
      throw sourceFailure({ ...here, end }, { words, class: error.class });
    });
  });
  if (said === null) return undefined;
  job.log(said.words, "info", step, `${key} unpacked`);
  return { folder, revision: said.revision, tookMs: performance.now() - beganMs };
}

async function unpack(contents: string, most: number, folder: string): Promise<Said> {
  const place = await mkdtemp(`${folder}.fetched-`);
  try {
    const draft = path.join(place, "draft");
    await mkdir(draft, { mode: 0o700 });
    const { entries, revision } = await readArchiveText(contents, place);
    const unpacked = unpackInto(draft, { ...small, mostBytes: Math.min(most, small.mostBytes) });
    await unpacked.add(entries);
    const { files, bytes } = await unpacked.finish();
    await rename(draft, folder);
    return { revision, words: `source at ${revision}: ${files} files, ${bytes} bytes` };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
