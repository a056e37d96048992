import { checkConfigFolder, type CheckedConfig } from "../../../shared/app-config/check-config.ts";

/** The files of a config by their names. */
export type ConfigTexts = Readonly<Record<string, string>>;

/** Checks files that are nowhere but here. */
export async function checkTexts(texts: ConfigTexts): Promise<CheckedConfig> {
  return await checkConfigFolder({
    names: Object.keys(texts),
    read: (name) =>
      Promise.resolve(texts[name] ?? { code: "missing_file", detail: "is not there" }),
  });
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
