import { isTable } from "./rules/rule.ts";

/** The path of a file in the JSON document of the same config: its folder, and its path in that. */
export function documentPath(file: string): string[] {
  const slash = file.indexOf("/");
  return slash === -1 ? [file] : [file.slice(0, slash), file.slice(slash + 1)];
}

/** What a JSON document has of a file; undefined where it has none. */
export const fileInDocument = (document: unknown, file: string): unknown =>
  documentPath(file).reduce<unknown>(
    (at, key) => (isTable(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    document,
  );
