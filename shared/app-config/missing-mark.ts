import { stepsBetween } from "../steps-between.ts";
import type { ConfigFile } from "./config-files.ts";
import { configSchemaOf } from "./config-schemas.ts";
import { kindOfFile } from "./kind-of-file.ts";

/**
 * What a TOML file of a folder within a kind's folder has not, by which it would be one of the config, and no other
 * program's; undefined where it has it, or has what says so all the same.
 */
export function missingMark(name: string, value: object): ConfigFile["mark"] {
  const keys = Object.keys(value);
  if (name.split("/").length < 3 || keys.length === 0) return undefined;
  const kind = kindOfFile(name);
  if (kind?.mark === undefined || keys.includes(kind.mark)) return undefined;
  return isMeant({ ...kind, mark: kind.mark }, keys) ? undefined : kind.mark;
}

/** The mark is misspelt, all else is there that one of the kind needs, or most of it is the kind's. */
function isMeant({ type, mark }: ConfigFile & { mark: string }, keys: readonly string[]): boolean {
  if (keys.some((key) => isNear(key, mark))) return true;
  const schema = configSchemaOf(type);
  return (schema?.oneOf ?? [schema]).some((shape) => {
    const { properties = {}, required = [] } = shape ?? {};
    const others = required.filter((member) => member !== mark && member !== "name"); // programs have names, too
    if (others.length > 0 && others.every((member) => keys.includes(member))) return true;
    return keys.filter((key) => Object.hasOwn(properties, key)).length * 2 > keys.length;
  });
}

const isNear = (key: string, mark: string): boolean =>
  Math.abs(key.length - mark.length) <= mostSteps &&
  stepsBetween(key.toLowerCase(), mark) <= mostSteps;
const mostSteps = 2;
