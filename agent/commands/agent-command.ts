import {
  type Command,
  commandDefiner,
  type FlagSpec,
  type FlagSpecs,
} from "../../shared/command-line/command.ts";
import type { Suggestion } from "../../shared/command-line/completion.ts";
import type { Environment } from "../config/environment.ts";
import type { AgentConfig } from "../config/read-config.ts";
import { type SettingName, settingNames, settingOf } from "../config/settings.ts";

/** What a command is given, in addition to its arguments and flags. */
export type CommandCall = {
  /** The agent's settings from flags, environment and file; throws an OperatorError when one is wrong. */
  readonly readConfig: () => AgentConfig;
  readonly env: Environment;
  readonly say: (line: string) => void;
  /** Completions for a command line. */
  readonly suggest: (words: readonly string[]) => Suggestion;
};

/** The description of a command, without its arguments and flags. */
type Traits = {
  /** Settings that it accepts as flags. */
  readonly settings?: "all" | readonly SettingName[];
};

/** One command of svc-agent. */
export type AgentCommand = Command<Traits, CommandCall>;

/** Defines a command whose arguments and flags are typed by its description. */
export const defineCommand = commandDefiner<Traits, CommandCall>();

/** The settings that a command accepts, as flags; secrets are never flags. */
export function settingFlags({ settings = [] }: Traits): FlagSpecs {
  const named = settings === "all" ? settingNames : settings;
  const shown = named.filter((name) => settingOf(name).isSecret !== true);
  if (shown.length === 0) return {};
  const config = { value: "FILE", summary: "A file of settings, a line each: name = value." };
  return { ...Object.fromEntries(shown.map((name) => [name, flagOf(name)])), config };
}

function flagOf(name: SettingName): FlagSpec {
  const { value, doc, byDefault } = settingOf(name);
  return { value, summary: byDefault === undefined ? doc : `${doc} (default ${byDefault})` };
}
