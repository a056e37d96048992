import type { Environment } from "../config/environment.ts";
import type { AgentConfig } from "../config/read-config.ts";
import type { SettingName } from "../config/settings.ts";

/** A flag of one command alone. */
export type OwnFlag = {
  /** What the value is; a flag without one is a switch. */
  readonly value?: string;
  readonly doc: string;
};

/** All that a command gets. */
export type CommandCall = {
  /** The words after the command's name that are no flags. */
  readonly words: readonly string[];
  /** The command's own flags; a switch that was given is "true". */
  readonly flags: Readonly<Record<string, string>>;
  /** The agent's settings from flags, environment and file; throws an OperatorError when one is wrong. */
  readonly readConfig: () => AgentConfig;
  readonly env: Environment;
  readonly say: (line: string) => void;
};

/** One command as the table keeps it: parsing, help and docs/agent.md are made from this. */
export type AgentCommand = {
  /** As it is typed: `output set`. */
  readonly name: string;
  readonly summary: string;
  /** The words that it takes, as help shows them. */
  readonly words?: string;
  /** How many words it takes at most; what comes after `--` counts as words, too. */
  readonly mostWords?: number;
  /** The settings that it takes as flags. */
  readonly settings: "all" | readonly SettingName[];
  readonly flags?: Readonly<Record<string, OwnFlag>>;
  /** Reads what it needs when it is called: a command costs nothing until then. Answers the exit code. */
  readonly run: (call: CommandCall) => Promise<number>;
};
