import { closeSync, existsSync, openSync, readdirSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import { errorCode } from "../files/disk-error.ts";
import { childFiles } from "./child-files.ts";
import type { ChildOutput, OutputChunk } from "./child.ts";
import type { Notifier } from "./notifier.ts";
import { isAbsence } from "./process-identity.ts";

const chunkBytes = 256 * 1_024;
/** Should a notice of the kernel be lost, it is looked for so often. */
const lookEveryMs = 1_000;

type Source = {
  readonly dir: string;
  /** The first byte that is asked for. */
  readonly from: number;
  readonly notifier: Notifier;
  /** Whether nobody is to read any more. */
  readonly isClosed: () => boolean;
};

/** A segment's number, and how many bytes came before it. */
type Place = { readonly segment: number; readonly offset: number };

/** For want of these, nothing is deleted for a while. */
const passing: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EMFILE", "ENFILE", "ENOMEM"]);

/** Reads a child's segments as they grow; those whose every byte was released are deleted. */
export function readOutput(source: Source): ChildOutput {
  /** Segments that were read to their end, oldest first; `offset` is where the one after them begins. */
  const read: Place[] = [];
  let released = 0;
  const deleteReleased = () => {
    for (let place = read[0]; place !== undefined && place.offset <= released; place = read[0]) {
      try {
        deleteBefore(source.dir, place);
      } catch (error) {
        if (!passing.has(errorCode(error) ?? "")) throw error;
        return; // with the next one
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

/** Waits for a segment to be there; nothing when there will be none. */
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

/** A segment's bytes as they come; returns how many came before the next segment. */
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
    // It may have grown between its last byte and the next segment's first: one more look.
    isWhole = [`${segment + 1}`, childFiles.end].some((name) => existsSync(path.join(dir, name)));
    if (!isWhole) await notifier.after(seen, lookEveryMs);
    if (!isWhole && !existsSync(dir)) return offset;
  }
}

/** The base's place is in its name: an empty file finds room where everything is full. */
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

/** First it is noted where the rest begins, then what came before is deleted: a crash between costs no byte. */
function deleteBefore(dir: string, { segment, offset }: Place): void {
  if (!existsSync(dir)) return;
  const former = basesIn(dir);
  const base = `${childFiles.base}-${segment}-${offset}`;
  closeSync(openSync(path.join(dir, base), "w", 0o600));
  for (const name of [...former, `${segment - 1}`]) {
    if (name !== base) rmSync(path.join(dir, name), { force: true });
  }
}
