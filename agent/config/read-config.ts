import { readFileSync } from "node:fs";
import path from "node:path";
import type { z } from "zod";
import { predicate } from "../../shared/issue-words.ts";
import { nearestWord } from "../../shared/nearest-word.ts";
import { OperatorError } from "../../shared/operator-error.ts";
import { parseConfigFile } from "./config-file.ts";
import type { Environment } from "./environment.ts";
import {
  type SettingName,
  settingNames,
  settingOf,
  type settings,
  variableOf,
} from "./settings.ts";

type Row<N extends SettingName> = (typeof settings)[N];
type Value<N extends SettingName> = z.output<Row<N>["schema"]>;
type Camel<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : S;

/** The agent's settings by their names, `brokerUrl` for `broker-url`; durations in ms, sizes in bytes. */
export type AgentConfig = {
  readonly [N in Exclude<SettingName, "work-dir" | "tools-dir"> as Camel<N>]: Row<N> extends {
    byDefault: string;
  }
    ? Value<N>
    : Value<N> | undefined;
} & {
  readonly workDir: string;
  readonly toolsDir: string;
  /** The given text of each setting, without secrets. */
  readonly given: Readonly<Partial<Record<SettingName, string>>>;
  /** Where each setting came from. */
  readonly sources: Readonly<Record<SettingName, Source>>;
  /** Messages about unknown settings. */
  readonly warnings: readonly string[];
  /** The environment, without the agent's own settings. */
  readonly env: Environment;
};

export type Source = "flag" | "environment" | "file" | "default" | "absent";

/** Flags of the command line and their values. */
export type GivenFlags = Readonly<Record<string, string>>;

type Given = { readonly value: string; readonly source: Source };

/** Variables that the agent sets for its jobs; they are not settings. */
const marks = ["SVC_AGENT_EXECUTION", "SVC_AGENT_STEP", "SVC_AGENT_CONFIG", "SVC_AGENT_MANAGED_BY"];
const prefix = "SVC_AGENT_";

/**
 * Reads the settings; flags override the environment, then the file, then defaults. Throws an OperatorError that names
 * all errors.
 */
export function readConfig(flags: GivenFlags, env: Environment): AgentConfig {
  const file = flags["config"] ?? env["SVC_AGENT_CONFIG"];
  const inFile = file === undefined ? {} : parseConfigFile(file, readText(file));
  const given = (name: SettingName): Given => {
    const { byDefault, isSecret } = settingOf(name);
    const flag = isSecret === true ? undefined : flags[name];
    const variable = env[variableOf(name)] || undefined; // an empty variable is an absent one
    const kept = isSecret === true ? undefined : inFile[name];
    if (flag !== undefined) return { value: flag, source: "flag" };
    if (variable !== undefined) return { value: variable, source: "environment" };
    if (kept !== undefined) return { value: kept, source: "file" };
    if (byDefault !== undefined) return { value: byDefault, source: "default" };
    return { value: "", source: "absent" };
  };
  return configOf(new Map(settingNames.map((name) => [name, given(name)])), {
    env: withoutSettings(env),
    warnings: [...unknownVariables(env), ...unknownKeys(inFile, file)],
  });
}

type Besides = Pick<AgentConfig, "env" | "warnings">;

function configOf(given: ReadonlyMap<SettingName, Given>, besides: Besides): AgentConfig {
  const wrong: string[] = [];
  const config: Record<string, unknown> = {};
  const sources: Partial<Record<SettingName, Source>> = {};
  for (const [name, { value, source }] of given) {
    sources[name] = source;
    if (source === "absent") continue;
    const parsed = settingOf(name).schema.safeParse(value);
    // The value is never quoted: it may be a secret in the wrong place.
    const [issue] = parsed.error?.issues ?? [];
    if (issue !== undefined) wrong.push(`${named(name, source)} ${predicate(issue.message)}`);
    config[camel(name)] = parsed.data;
  }
  if (wrong.length > 0) throw new OperatorError(`${wrong.join("; ")}.`);
  const read = (name: string): string | undefined => config[name] as string | undefined; // of text settings
  const dataDir = path.resolve(read("dataDir") ?? "");
  const workDir = path.resolve(read("workDir") ?? path.join(dataDir, "work"));
  const toolsDir = path.resolve(read("toolsDir") ?? path.join(dataDir, "tools"));
  // every member was made by its own schema above
  return Object.freeze({
    ...config,
    given: givenOnes(given),
    dataDir,
    workDir,
    toolsDir,
    sources,
    ...besides,
  } as unknown as AgentConfig);
}

function givenOnes(given: ReadonlyMap<SettingName, Given>): AgentConfig["given"] {
  const said = [...given].filter(
    ([name, { source }]) =>
      source !== "absent" && source !== "default" && settingOf(name).isSecret !== true,
  );
  return Object.fromEntries(said.map(([name, { value }]) => [name, value]));
}

/** The name of a setting where it was given: flag, variable or line. */
function named(name: SettingName, source: Source): string {
  if (source === "environment") return variableOf(name);
  return source === "file" ? name : `--${name}`;
}

function camel(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(`The settings in ${file} cannot be read (${code}).`);
  }
}

/** A job must not see the agent's settings, above all no token. */
function withoutSettings(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith(prefix)));
}

function unknownVariables(env: Environment): string[] {
  const known = settingNames.map(variableOf);
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && ![...known, ...marks].includes(name))
    .map((name) => `Unknown setting ${name}.${didYouMean(name, known)}`);
}

function unknownKeys(inFile: Readonly<Record<string, string>>, file: string | undefined): string[] {
  const known: string[] = settingNames.filter((name) => settingOf(name).isSecret !== true);
  return Object.keys(inFile)
    .filter((key) => !known.includes(key))
    .map((key) => `${file} has an unknown setting "${key}".${didYouMean(key, known)}`);
}

function didYouMean(word: string, known: readonly string[]): string {
  const meant = nearestWord(word, known);
  return meant === undefined ? "" : ` Did you mean ${meant}?`;
}
