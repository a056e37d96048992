import type { AppConfigDocument } from "./config-files.ts";

const folders = ["components", "actions", "runbooks", "branches", "installs"];

/** A checked document as the JSON document of files that it could have come from. */
export function filesOfDocument(document: AppConfigDocument): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(document).map(([section, value]): [string, unknown] => {
      if (!folders.includes(section)) return [`${section}.toml`, value];
      const things = value as unknown as readonly { readonly name: string }[]; // these sections are lists
      return [
        section,
        Object.fromEntries(things.map((one, at) => [`${fileName(one.name, at)}.toml`, one])),
      ];
    }),
  );
}

/** Installs may be called anything. */
const fileName = (name: string, at: number): string =>
  /^[a-z][a-z0-9_-]*$/.test(name) ? name : `${at + 1}`;
