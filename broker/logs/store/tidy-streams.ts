import type { Db } from "../../database/connect.ts";
import type { Log } from "../../log.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import type { LogLimits } from "../log-settings.ts";
import { mergeChunks } from "./merge-chunks.ts";
import { trimStream } from "./queries.ts";

/** A stream after its last append. */
export type GrownStream = {
  readonly orgId: OrgId;
  readonly streamId: string;
  readonly bytes: number;
  readonly looseChunks: number;
};

/** Trims streams and merges their chunks in the background, after appends. */
export type TidyStreams = {
  /** Call after an append; the work is done soon, one stream at a time. */
  readonly look: (stream: GrownStream) => void;
  /** Stops after the current stream. */
  readonly stop: () => Promise<void>;
};

type Parts = {
  readonly db: Db;
  readonly log: Log;
  readonly limits: Pick<LogLimits, "streamBytes">;
  /** Whether the org has used up its daily log volume. */
  readonly isOverDay: (orgId: OrgId) => boolean;
};

const mostLoose = 32;
/** While so many wait, no more are noted: the next append of each tells of it again. */
const mostWaiting = 10_000;
/** What a stream keeps when its org has used up its daily volume. */
const leastBytes = 1024 * 1024;

/** After a failure a stream is tidied again after its next append. */
export function makeTidyStreams({ db, log, limits, isOverDay }: Parts): TidyStreams {
  const waiting = new Map<string, GrownStream>();
  let working: Promise<void> | undefined;
  let isStopped = false;

  const limitOf = (orgId: OrgId): number =>
    isOverDay(orgId) ? Math.min(leastBytes, limits.streamBytes) : limits.streamBytes;

  function look(stream: GrownStream): void {
    const { orgId, streamId, bytes, looseChunks } = stream;
    if (isStopped || (bytes <= limitOf(orgId) && looseChunks < mostLoose)) return;
    if (waiting.size < mostWaiting || waiting.has(streamId)) waiting.set(streamId, stream);
    working ??= work();
  }

  async function work(): Promise<void> {
    for (const [id, stream] of waiting) {
      waiting.delete(id);
      if (isStopped) break;
      try {
        await tidy(stream);
      } catch (error) {
        log.warn(
          { err: error, stream: id },
          "could not tidy a log stream; its next append will retry",
        );
      }
    }
    working = undefined;
  }

  async function tidy({ orgId, streamId, bytes, looseChunks }: GrownStream): Promise<void> {
    if (looseChunks >= mostLoose) await mergeChunks(db, orgId, streamId);
    if (bytes > limitOf(orgId)) await trimStream(db, orgId, streamId, limitOf(orgId));
  }

  return {
    look,
    stop: async () => {
      isStopped = true;
      await working;
    },
  };
}
