import type { FolderEntry } from "../tar/pack-entries.ts";
import type { FetchText } from "./fetched-text.ts";
import type { FileFault } from "./file-fault.ts";

/** Reads all files and links of a folder, by its path from the config's directory; empty for all of it. */
export type ReadSources = (directory: string) => Promise<readonly FolderEntry[] | FileFault>;

/** Where an archive has the JSON document of a config, which says all of it then; the rest are folders that components are built from. */
export const archivedDocument = ".svc/config.json";

/** A directory: the names of its files, from its root and with slashes, and their texts. */
export type ConfigFolder = {
  readonly names: readonly string[];
  readonly read: (name: string) => Promise<string | FileFault>;
  /** Without it the text of a URL is nowhere: URLs are refused. */
  readonly fetch?: FetchText;
  /** Without it no component can be built from a folder of it. */
  readonly readSources?: ReadSources;
  /** Folders whose files would be of the config, and why they are not read. */
  readonly refused?: ReadonlyMap<string, FileFault>;
};
