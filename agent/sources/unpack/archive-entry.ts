import { Readable } from "node:stream";

/** What an archive, or a folder, holds under one name; nothing of it has been looked at yet. */
export type ArchiveEntry = {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "hard link" | "other";
  /** What it is instead, where it is none of these: "a device". */
  readonly what?: string;
  /** The mode's last twelve bits. */
  readonly mode: number;
  /** Of links: where they lead. */
  readonly target: string;
  /** Of files; what is not read is passed by. */
  readonly body: AsyncIterable<Uint8Array>;
};

/** The entries of an archive, one after another: each is to be done with before the next is asked for. */
export type ArchiveEntries = AsyncIterable<ArchiveEntry>;

/** The body of what has none. */
export function emptyBody(): AsyncIterable<Uint8Array> {
  return Readable.from([]);
}
