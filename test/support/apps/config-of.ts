import {
  checkConfigFolder,
  type CheckedConfig,
  type CheckOptions,
} from "../../../shared/app-config/check-config.ts";
import type { ConfigFolder } from "../../../shared/app-config/config-folder.ts";

/** The files of a config by their names. */
export type ConfigTexts = Readonly<Record<string, string>>;

/** Checks files that are nowhere but here. */
export async function checkTexts(
  texts: ConfigTexts,
  options: CheckOptions = {},
): Promise<CheckedConfig> {
  const folder: ConfigFolder = {
    names: Object.keys(texts),
    read: (name) =>
      Promise.resolve(
        texts[name] ?? { code: "missing_file", detail: "is not there", isAbsent: true },
      ),
  };
  return await checkConfigFolder(folder, options);
}

/** A JSON value as the right side of a TOML line. */
export function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)} = ${tomlValue(one)}`,
  );
  return `{ ${members.join(", ")} }`;
}

/** A table as a TOML file. */
export function tomlFile(table: object): string {
  return Object.entries(table)
    .map(([key, value]) => `${JSON.stringify(key)} = ${tomlValue(value)}\n`)
    .join("");
}
