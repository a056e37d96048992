import type { FetchText } from "./fetched-text.ts";
import type { FileFault } from "./file-fault.ts";

/** A directory: the names of its files, from its root and with slashes, and their texts. */
export type ConfigFolder = {
  readonly names: readonly string[];
  readonly read: (name: string) => Promise<string | FileFault>;
  /** Without it the text of a URL is nowhere: URLs are refused. */
  readonly fetch?: FetchText;
  /** Folders whose files would be of the config, and why they are not read. */
  readonly refused?: ReadonlyMap<string, FileFault>;
};
