import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { archivedDocument } from "../../shared/app-config/config-folder.ts";
import type { PackedSource } from "../../shared/app-config/pack-sources.ts";
import { type FolderEntry, packEntries } from "../../shared/tar/pack-entries.ts";

const compress = promisify(gzip);

/** The JSON document of a config with the folders that its components are built from, as the tar.gz that a sync takes. */
export async function packConfig(
  document: object,
  sources: readonly PackedSource[],
): Promise<Uint8Array> {
  const entries = new Map<string, FolderEntry>();
  for (const { directory, entries: own } of sources) {
    for (const entry of own) {
      const name = directory === "" ? entry.name : `${directory}/${entry.name}`;
      entries.set(name, { ...entry, name });
    }
  }
  const bytes = Buffer.from(JSON.stringify(document));
  const own = { kind: "file", isExecutable: false, target: "", bytes } as const;
  return await compress(packEntries([...entries.values(), { ...own, name: archivedDocument }]));
}
