import { namePattern } from "./members/kinds.ts";

/** What a file or a folder is called, as a name of a config; another one, where nothing of it can be one. */
export function nameFrom(given: string, otherwise: string): string {
  const name = given
    .slice(0, 255)
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, 63)
    .replace(/-+$/, "");
  return namePattern.test(name) ? name : otherwise;
}
