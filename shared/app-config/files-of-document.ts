import { type AppConfigDocument, configFiles } from "./config-files.ts";

const folders = ["components", "actions", "runbooks", "branches", "installs"];
const fileOf = (section: string): string =>
  configFiles.find((kind) => kind.section === section && kind.file !== undefined)?.file ?? "";

/** A checked document as the JSON document of files that it could have come from. Its brands are those of whom it is given to. */
export function filesOfDocument(document: AppConfigDocument): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries({ ...document, brands: undefined }).flatMap(
      ([section, value]): [string, unknown][] => {
        if (value === undefined) return [];
        if (!folders.includes(section)) return [[fileOf(section), value]];
        const things = value as unknown as readonly { readonly name: string }[]; // these sections are lists
        const files = things.map((one, at) => [`${fileName(one.name, at)}.toml`, one] as const);
        return [[section, Object.fromEntries(files)]];
      },
    ),
  );
}

/** Installs may be called anything. */
const fileName = (name: string, at: number): string =>
  /^[a-z][a-z0-9_-]*$/.test(name) ? name : `${at + 1}`;
