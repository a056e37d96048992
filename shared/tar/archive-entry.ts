import { Readable } from "node:stream";

/** An entry of an archive or a folder, unchecked. */
export type ArchiveEntry = {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "hard link" | "other";
  /** Its kind, if it is none of these: "a device". */
  readonly what?: string;
  /** The lowest twelve bits of the mode. */
  readonly mode: number;
  /** The target of a link. */
  readonly target: string;
  /** The contents of a file; what is not read is skipped. */
  readonly body: AsyncIterable<Uint8Array>;
};

/** The entries of an archive, in order: finish each before asking for the next. */
export type ArchiveEntries = AsyncIterable<ArchiveEntry>;

/** An empty body. */
export function emptyBody(): AsyncIterable<Uint8Array> {
  return Readable.from([]);
}
