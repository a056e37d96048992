import { nearestWord } from "../../shared/nearest-word.ts";
import type { GivenFlags } from "../config/read-config.ts";
import { type SettingName, settingNames, settingOf } from "../config/settings.ts";
import { ExitError } from "../exit-error.ts";
import type { AgentCommand } from "./agent-command.ts";

export type ParsedLine =
  | { readonly kind: "help"; readonly command: AgentCommand | undefined }
  | {
      readonly kind: "run";
      readonly command: AgentCommand;
      readonly words: readonly string[];
      readonly flags: Readonly<Record<string, string>>;
      readonly settings: GivenFlags;
    };

type Known = { readonly isSwitch: boolean; readonly isSetting: boolean };

/** Reads a command line by the table; an ExitError names what is wrong with it, and the nearest right word. */
export function parseLine(argv: readonly string[], commands: readonly AgentCommand[]): ParsedLine {
  const { command, rest } = findCommand(argv, commands);
  if (command === undefined) return { kind: "help", command };
  const known = knownFlags(command);
  const [words, flags, settings]: [string[], Record<string, string>, Record<string, string>] = [
    [],
    {},
    {},
  ];
  for (let at = 0; at < rest.length; at++) {
    const arg = rest[at] ?? "";
    if (arg === "--") {
      words.push(...rest.slice(at + 1));
      break;
    }
    if (!arg.startsWith("-") || arg === "-") {
      words.push(arg);
      continue;
    }
    if (arg === "--help" || arg === "-h") return { kind: "help", command };
    const [name, inline] = splitFlag(arg);
    const flag = known.get(name);
    if (flag === undefined) throw unknownFlag(command, arg, [...known.keys()]);
    if (flag.isSwitch && inline !== undefined) throw usage(`--${name} takes no value.`);
    const value = flag.isSwitch ? "true" : (inline ?? rest[++at]);
    if (value === undefined) throw usage(`--${name} needs a value.`);
    (flag.isSetting ? settings : flags)[name] = value;
  }
  if (words.length > (command.mostWords ?? 0)) {
    throw usage(`svc-agent ${command.name} does not take "${words[command.mostWords ?? 0]}".`);
  }
  return { kind: "run", command, words, flags, settings };
}

/** A command's settings as flags; a secret is never one. */
export function settingFlags(command: AgentCommand): SettingName[] {
  const all = command.settings === "all" ? settingNames : command.settings;
  return all.filter((name) => settingOf(name).isSecret !== true);
}

function findCommand(argv: readonly string[], commands: readonly AgentCommand[]) {
  const [first = "", second = ""] = argv;
  if (first === "" || /^(?:help|--help|-h)$/.test(first)) return { command: undefined, rest: [] };
  if (first === "--version")
    return { command: commands.find(({ name }) => name === "version"), rest: [] };
  const two = commands.find(({ name }) => name === `${first} ${second}`);
  if (two !== undefined) return { command: two, rest: argv.slice(2) };
  const one = commands.find(({ name }) => name === first);
  if (one !== undefined) return { command: one, rest: argv.slice(1) };
  const meant = nearestWord(
    first,
    commands.map(({ name }) => name),
  );
  throw usage(
    `svc-agent has no command "${first}".${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
  );
}

function knownFlags(command: AgentCommand): Map<string, Known> {
  const known = new Map<string, Known>();
  for (const name of settingFlags(command)) known.set(name, { isSwitch: false, isSetting: true });
  if (known.size > 0) known.set("config", { isSwitch: false, isSetting: true });
  for (const [name, { value }] of Object.entries(command.flags ?? {})) {
    known.set(name, { isSwitch: value === undefined, isSetting: false });
  }
  return known;
}

function splitFlag(arg: string): [name: string, inline: string | undefined] {
  const [, name = "", inline] = /^--?([^=]*)(?:=([\s\S]*))?$/.exec(arg) ?? [];
  return [name, inline];
}

function unknownFlag(command: AgentCommand, arg: string, known: readonly string[]): ExitError {
  const [name] = splitFlag(arg);
  const meant = nearestWord(name, known);
  const hint = meant === undefined ? "" : ` Did you mean --${meant}?`;
  return usage(`svc-agent ${command.name} has no flag --${name}.${hint}`);
}

function usage(words: string): ExitError {
  return new ExitError("usage", words);
}
