import { isNamedParam } from "../../../shared/id-names.ts";
import { problem } from "../../../shared/problem.ts";

/** Says what was no id and, where that may stand, no name, and of what. */
export function noSuchId(name: string, value: string): Error {
  const what = name.replace(/_id$/, "").replaceAll("_", " ");
  const said = JSON.stringify(value.slice(0, 100));
  const why = isNamedParam(name) ? "neither the id nor the name of one" : "not the id of one";
  return problem.notFound("object", `There is no ${what} ${said}: this is ${why}.`);
}

/** No id has a NUL, which no statement may be asked with. */
export function requireNoNul(params: Readonly<Record<string, string>>): void {
  const found = Object.entries(params).find(([, value]) => value.includes("\0"));
  if (found !== undefined) throw noSuchId(...found);
}
