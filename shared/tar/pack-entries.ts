import { paddingOf, tarEnd, tarEntryBytes, tarHeader } from "./tar-header.ts";

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

/** How large the archive of a folder will be, before it is made: heads, long names and padding count as contents do. */
export function packedBytes(entries: readonly FolderEntry[]): number {
  return entries.reduce(
    (sum, { bytes, ...entry }) => sum + tarEntryBytes({ ...entry, size: bytes.length }),
    tarEnd.length,
  );
}

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
