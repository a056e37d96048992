import {
  type RunnerSettings,
  runnerSettingsChangesSchema,
} from "../../shared/api/runner-settings.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { nearestWord } from "../../shared/nearest-word.ts";

type Value = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;
export type Changes = Readonly<Record<string, Value>>;

const names = Object.keys(runnerSettingsChangesSchema.shape);

/**
 * The changes that NAME=VALUE and NAME.KEY=VALUE stand for: each value of the kind that the setting has, and of a map
 * the one entry, beside those that are there.
 */
export function settingsChanges(settings: RunnerSettings, given: readonly string[]): Changes {
  const changes: Record<string, Value> = {};
  for (const pair of given) {
    const [, name = "", key, text = ""] = /^(\w+)(?:\.([^=]+))?=(.*)$/su.exec(pair) ?? [];
    if (name === "") throw new UsageError(`"${pair}" must be NAME=VALUE or NAME.KEY=VALUE.`);
    const present =
      changes[name] ??
      (Object.entries(settings) as [string, Value][]).find(([one]) => one === name)?.[1];
    if (!names.includes(name) || present === undefined) throw unknownSetting(name);
    changes[name] =
      key === undefined ? readValue(name, text, present) : withEntry(name, present, [key, text]);
  }
  return changes;
}

function readValue(name: string, text: string, present: Value): Value {
  if (typeof present === "boolean") {
    if (text === "true" || text === "false") return text === "true";
    throw new UsageError(`${name} must be true or false.`);
  }
  // A duration is taken as text, too.
  if (typeof present === "number") return /^\d+$/.test(text) ? Number(text) : text;
  if (typeof present === "string") return text;
  if (Array.isArray(present)) return text === "" ? [] : text.split(",").map((one) => one.trim());
  return readMap(name, text);
}

function readMap(name: string, text: string): Record<string, string> {
  try {
    const read: unknown = JSON.parse(text);
    // What its values must be is the broker's to say.
    if (typeof read === "object" && read !== null && !Array.isArray(read))
      return read as Record<string, string>;
  } catch {
    // said below
  }
  throw new UsageError(`${name} must be a JSON object, or name one entry: ${name}.KEY=VALUE.`);
}

function withEntry(name: string, present: Value, [key, text]: readonly [string, string]): Value {
  if (typeof present === "object" && !Array.isArray(present)) return { ...present, [key]: text };
  throw new UsageError(`${name} has no entries: set it by ${name}=VALUE.`);
}

function unknownSetting(name: string): UsageError {
  const meant = nearestWord(name, names);
  const hint = meant === undefined ? "See: svc group settings GROUP" : `Did you mean ${meant}?`;
  return new UsageError(`There is no setting ${name} that can be changed.`, hint);
}
