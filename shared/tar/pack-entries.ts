import { paddingOf, tarEnd, tarHeader } from "./tar-header.ts";

/** A file or a link of a folder. */
export type FolderEntry = {
  /** From the folder's root, with slashes. */
  readonly name: string;
  readonly kind: "file" | "link";
  readonly isExecutable: boolean;
  /** Where a link leads to; empty for a file. */
  readonly target: string;
  readonly bytes: Uint8Array;
};

/** A folder as a tar archive: the same files and links are the same bytes, whatever their order, owners and times. */
export function packEntries(entries: readonly FolderEntry[]): Buffer {
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const blocks = sorted.flatMap(({ bytes, ...entry }) => [
    tarHeader({ ...entry, size: bytes.length }),
    bytes,
    paddingOf(bytes.length),
  ]);
  return Buffer.concat([...blocks, tarEnd]);
}
