import {
  checkConfigDocument,
  checkConfigFolder,
  type CheckedConfig,
  type CheckOptions,
  type ValidConfig,
} from "../../../shared/app-config/check-config.ts";
import type { ConfigFolder, ReadSources } from "../../../shared/app-config/config-folder.ts";
import { Problem, problem } from "../../../shared/problem.ts";

/** A config as it came: its JSON document, perhaps with the folders that are built, or its directory. */
export type ConfigSource = {
  /** 422 for links in an archive that are in no folder that is built. */
  readonly refuseLinks?: (directories: readonly string[]) => void;
} & (
  | { readonly document: unknown; readonly readSources?: ReadSources }
  | { readonly folder: ConfigFolder }
);
type Checked = Pick<CheckedConfig, "warnings" | "notices" | "sources"> & {
  readonly config: ValidConfig;
};
/** The config, checked, of an app of this name unless it says another; 422 with all that is wrong in it. */
export async function requireValid(source: ConfigSource, options: CheckOptions): Promise<Checked> {
  const { config, errors, errorCount, warnings, notices, sources } = await ("folder" in source
    ? checkConfigFolder(source.folder, options)
    : checkConfigDocument(source.document, options, source));
  if (config !== undefined) {
    source.refuseLinks?.(sources.map(({ directory }) => directory));
    return { config, warnings, notices, sources };
  }
  const [first] = errors;
  const more = errorCount > 1 ? ` (and ${errorCount - 1} more)` : "";
  throw new Problem({
    status: 422,
    code: "invalid",
    detail: `${first?.file ?? ""}: ${first?.detail ?? ""}${more}`,
    errors: errors as unknown as Problem["errors"], // with the file besides; pointers are into the body
    members: { error_count: errorCount },
  });
}

/** The refusal of a config that names another app. */
export function otherApp(name?: string): Problem {
  const own = name === undefined ? "" : `: this one is called ${name}`;
  const detail = `This config is another app's${own}.`;
  return problem.invalid([{ pointer: "#/metadata.toml/name", code: "other_app", detail }]);
}
