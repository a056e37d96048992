import { closeSync, existsSync, openSync, readdirSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import { errorCode } from "../files/disk-error.ts";
import { childFiles } from "./child-files.ts";
import type { ChildOutput, OutputChunk } from "./child.ts";
import type { Notifier } from "./notifier.ts";
import { isAbsence } from "./process-identity.ts";

const chunkBytes = 256 * 1_024;
/** The polling interval, in case an inotify event is lost. */
const lookEveryMs = 1_000;

type Source = {
  readonly dir: string;
  /** The offset to read from. */
  readonly from: number;
  readonly notifier: Notifier;
  /** Whether reading must stop. */
  readonly isClosed: () => boolean;
};

/** A segment's number, and its offset in the output. */
type Place = { readonly segment: number; readonly offset: number };

/** Without file descriptors or memory, nothing is deleted for a while. */
const passing: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EMFILE", "ENFILE", "ENOMEM"]);

/** Reads a child's segments as they grow, and deletes those that are released completely. */
export function readOutput(source: Source): ChildOutput {
  /** Segments that were read to their end, oldest first; `offset` is where the next one begins. */
  const read: Place[] = [];
  let released = 0;
  const deleteReleased = () => {
    for (let place = read[0]; place !== undefined && place.offset <= released; place = read[0]) {
      try {
        deleteBefore(source.dir, place);
      } catch (error) {
        if (!passing.has(errorCode(error) ?? "")) throw error;
        return; // together with the next one
      }
      read.shift();
    }
  };
  const keep = (place: Place) => {
    read.push(place);
    deleteReleased();
  };
  return {
    [Symbol.asyncIterator]: () => chunksOf(source, keep),
    release: (offset) => {
      released = Math.max(released, offset);
      deleteReleased();
    },
  };
}

async function* chunksOf(
  source: Source,
  keep: (next: Place) => void,
): AsyncGenerator<OutputChunk, void, undefined> {
  let { segment, offset } = readBase(source.dir);
  for (;;) {
    const file = await openSegment(source, segment);
    if (file === undefined) return;
    try {
      offset = yield* grow(source, { file, segment, offset });
    } finally {
      await file.close();
    }
    segment += 1;
    keep({ segment, offset });
  }
}

/** Waits until a segment exists; undefined when there will be none. */
async function openSegment(source: Source, segment: number): Promise<FileHandle | undefined> {
  const { dir, notifier, isClosed } = source;
  const file = path.join(dir, `${segment}`);
  for (;;) {
    const seen = notifier.count();
    const isLast = isClosed() || existsSync(path.join(dir, childFiles.end)) || !existsSync(dir);
    const handle = await open(file).catch((error: unknown) =>
      isAbsence(error) ? undefined : "later",
    );
    if (handle !== "later" && (handle !== undefined || isLast)) return handle;
    if (handle === "later" && isClosed()) return undefined;
    await notifier.after(seen, lookEveryMs);
  }
}

type Segment = Place & { readonly file: FileHandle };

/** Yields a segment's bytes as they arrive; returns the offset at which the next segment begins. */
async function* grow(
  { dir, from, notifier, isClosed }: Source,
  { file, segment, offset: start }: Segment,
): AsyncGenerator<OutputChunk, number, undefined> {
  let offset = start;
  let isWhole = false;
  for (;;) {
    const seen = notifier.count();
    const { size, mtimeMs } = await file.stat();
    offset = Math.max(offset, Math.min(from, start + size));
    while (offset < start + size) {
      const buffer = Buffer.allocUnsafeSlow(Math.min(start + size - offset, chunkBytes));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, offset - start);
      if (bytesRead === 0) return offset;
      const atMs = Math.round(mtimeMs);
      yield { bytes: buffer.subarray(0, bytesRead), offset, atMs };
      offset += bytesRead;
    }
    if (isWhole || isClosed()) return offset;
    // It may have grown before the next segment was begun, so it is read once more.
    isWhole = [`${segment + 1}`, childFiles.end].some((name) => existsSync(path.join(dir, name)));
    if (!isWhole) await notifier.after(seen, lookEveryMs);
    if (!isWhole && !existsSync(dir)) return offset;
  }
}

/** The offset is in the file's name, because an empty file can be made even when the disk is full. */
function readBase(dir: string): Place {
  const places = basesIn(dir).map((name) => {
    const [, segment = 0, offset = 0] = name.split("-").map(Number);
    return { segment, offset };
  });
  return (
    places.toSorted((one, other) => other.segment - one.segment)[0] ?? { segment: 0, offset: 0 }
  );
}

function basesIn(dir: string): string[] {
  return existsSync(dir)
    ? readdirSync(dir).filter((name) => name.startsWith(`${childFiles.base}-`))
    : [];
}

/** The new base is written before the old segments are deleted: a crash in between loses no byte. */
function deleteBefore(dir: string, { segment, offset }: Place): void {
  if (!existsSync(dir)) return;
  const former = basesIn(dir);
  const base = `${childFiles.base}-${segment}-${offset}`;
  closeSync(openSync(path.join(dir, base), "w", 0o600));
  for (const name of [...former, `${segment - 1}`]) {
    if (name !== base) rmSync(path.join(dir, name), { force: true });
  }
}
