import type { Db } from "../../database/connect.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { fullChunkBytes } from "../intake/prepare-append.ts";
import { decodeChunk } from "./decode-chunk.ts";
import { encodeChunk } from "./encode-chunk.ts";
import {
  type ChunkPlace,
  findLogStream,
  forgetLoose,
  listChunkPlaces,
  listChunks,
  replaceChunks,
} from "./queries.ts";

const mostMerged = 500;

/**
 * Replaces consecutive small chunks of one day by full ones. Appends
 * are not delayed: the chunks are read before, and each merge is a statement of its own.
 */
export async function mergeChunks(db: Db, org: OrgId, streamId: string): Promise<void> {
  const stream = await findLogStream(db, org, streamId);
  if (stream === undefined) return;
  const places = await listChunkPlaces(db, org, stream, mostMerged);
  for (const run of mergeable(places)) await mergeRun(db, org, streamId, run);
  const loose = places.filter(({ bytes }) => bytes < fullChunkBytes).length;
  await forgetLoose(db, org, streamId, loose);
}

async function mergeRun(
  db: Db,
  org: OrgId,
  streamId: string,
  run: readonly ChunkPlace[],
): Promise<void> {
  const [first] = run;
  if (first === undefined) return;
  const positions = run.map(({ position }) => position);
  const chunks = await listChunks(db, org, { streamId, day: first.day, positions });
  const records = await Promise.all(chunks.map((chunk) => decodeChunk(chunk)));
  const merged = { ...(await encodeChunk(records.flat())), position: first.position };
  await replaceChunks(db, org, { streamId, day: first.day, positions, merged });
}

/** Runs of at least two chunks, each of one day and without a gap, that make about one full chunk. */
function mergeable(places: readonly ChunkPlace[]): ChunkPlace[][] {
  const runs: ChunkPlace[][] = [];
  let run: ChunkPlace[] = [];
  let bytes = 0;
  for (const place of places) {
    const last = run.at(-1);
    const isNext =
      last !== undefined &&
      last.day === place.day &&
      last.position + last.records === place.position &&
      bytes < fullChunkBytes;
    if (!isNext) {
      runs.push(run);
      run = [];
      bytes = 0;
    }
    run.push(place);
    bytes += place.bytes;
  }
  return [...runs, run].filter(({ length }) => length > 1);
}
