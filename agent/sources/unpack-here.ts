import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Job } from "../jobs/handler.ts";
import { readArchiveText } from "./read-archive-text.ts";
import { sourceFailure, SourceFault } from "./source-failure.ts";
import type { FetchedSource, Source, SourceFetch } from "./source.ts";
import { sizeText } from "./unpack/size-text.ts";
import { unpackInto } from "./unpack/unpack-entries.ts";

type Archive = Extract<Source, { readonly kind: "archive" }>;
type Here = SourceFetch & {
  readonly folder: string;
  /** The source, for people. */
  readonly what: string;
};
type Said = { readonly revision: string; readonly words: string };

/** The largest archive, in base64. A process of its own would cost a hundred times as much as unpacking this. */
const mostText = 2 ** 20;
/** Larger contents are unpacked by another process, which can be stopped and has its own memory. */
const small = { mostBytes: 16 * 2 ** 20, mostEntries: 2_000 };

/**
 * Unpacks a small archive of a plan in this process, if jobs have no user of their own; undefined when a child must do
 * it. The folder appears atomically. Throws JobFailure.
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
    // Only an earlier version of this program can have made it; its child knows the details.
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
    const size = sizeText(await unpacked.finish());
    await rename(draft, folder);
    return { revision, words: `source at ${revision}: ${size}` };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
