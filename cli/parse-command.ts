import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { nearestWord } from "../shared/nearest-word.ts";
import type { ArgSpec, Command, FlagSpec, Values } from "./command.ts";
import { findCommand } from "./find-command.ts";
import { brokerFlags, everyFlags, type GlobalValues } from "./global-flags.ts";
import { UsageError } from "./usage-error.ts";

export type Parsed =
  | { readonly kind: "help"; readonly words: readonly string[] }
  | {
      readonly kind: "run";
      readonly command: Command;
      readonly args: Values;
      readonly flags: Values;
      readonly globals: GlobalValues;
    };

type Flags = Readonly<Record<string, FlagSpec>>;
type Token = {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
};

/** Reads a command line by the table of commands; throws a UsageError that names what is wrong. */
export function parseCommand(argv: readonly string[], commands: readonly Command[]): Parsed {
  const [first = "", ...others] = argv;
  if (/^(?:-v|--version)$/.test(first)) return parseCommand(["version", ...others], commands);
  const { words, options } = tokenize(argv, commands);
  if (options.some(({ name }) => name === "help")) return { kind: "help", words };
  if (words[0] === "help") return { kind: "help", words: words.slice(1) };
  if (words.length === 0 && options.length === 0) return { kind: "help", words };
  if (words.length === 0) {
    throw new UsageError(`${options[0]?.rawName} goes with a command.`, "See: svc --help");
  }
  const { command, rest } = findCommand(words, commands);
  const known: Flags = { ...command.flags, ...globalFlagsOf(command) };
  const flags = readFlags(command, known, options);
  // every value comes from its spec: strings where it has `value`, checked against its `choices`
  const globals = { output: "table", ...flags } as unknown as GlobalValues;
  return { kind: "run", command, args: readArgs(command, rest), flags, globals };
}

/** The flags that go with a command besides its own. */
export function globalFlagsOf(command: Command): Flags {
  return command.isLocal === true ? everyFlags : { ...brokerFlags, ...everyFlags };
}

/**
 * A flag of the same name is of the same kind in every command, so a line can be read before its command is known.
 * A letter may stand for another flag in each command: it is that of the command that the line begins with.
 */
function tokenize(
  argv: readonly string[],
  commands: readonly Command[],
): { words: string[]; options: Token[] } {
  const all: Flags = Object.assign(
    {},
    everyFlags,
    brokerFlags,
    ...commands.map(({ flags }) => flags),
  ) as Flags;
  const own = commandAtStart(argv, commands)?.flags ?? {};
  const ownLetters = new Set(Object.values(own).map(({ short }) => short));
  const options: ParseArgsOptionsConfig = {};
  for (const [name, spec] of Object.entries(all)) {
    const { value, short } = spec;
    const type = value === undefined ? "boolean" : "string";
    const isMeant = short !== undefined && (Object.hasOwn(own, name) || !ownLetters.has(short));
    options[name] = { type, multiple: true, ...(isMeant && { short }) };
  }
  const args = [...argv];
  const parsed = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  return {
    words: parsed.tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : [])),
    options: parsed.tokens.flatMap((token) =>
      token.kind === "option"
        ? [{ name: token.name, rawName: token.rawName, value: valueOf(token) }]
        : [],
    ),
  };
}

function commandAtStart(
  argv: readonly string[],
  commands: readonly Command[],
): Command | undefined {
  return commands
    .filter(({ name }) => name.split(" ").every((word, at) => argv[at] === word))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
}

/** `--name --other` gives no value to --name, whatever the parser thinks; `--name=--other` and `--name -` do. */
function valueOf(token: { value?: string | undefined; inlineValue?: boolean | undefined }) {
  const isNextFlag = token.inlineValue !== true && /^-./.test(token.value ?? "");
  return isNextFlag ? undefined : token.value;
}

function readFlags(command: Command, known: Flags, options: readonly Token[]): Values {
  const values: Record<string, string | boolean | string[] | undefined> = {};
  for (const [name, spec] of Object.entries(known)) {
    if (spec.isRepeatable === true) values[name] = [];
    else if (spec.value === undefined) values[name] = false;
  }
  for (const { name, rawName, value } of options) {
    const spec = Object.hasOwn(known, name) ? known[name] : undefined;
    if (spec === undefined) throw unknownFlag(command, known, rawName);
    const read = readValue(spec, rawName, value);
    const before = values[name];
    values[name] = Array.isArray(before) && typeof read === "string" ? [...before, read] : read;
  }
  for (const [name, spec] of Object.entries(known)) {
    if (spec.isRequired === true && values[name] === undefined) {
      throw new UsageError(`--${name} is missing: ${spec.summary}`, helpHint(command));
    }
  }
  return values;
}

function readValue(spec: FlagSpec, rawName: string, value: string | undefined): string | boolean {
  if (spec.value === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} is a switch and takes no value.`);
    return true;
  }
  if (value === undefined) throw new UsageError(`${rawName} needs a value: ${spec.value}.`);
  if (spec.choices !== undefined && !spec.choices.includes(value)) {
    const meant = nearestWord(value, spec.choices);
    const hint = meant === undefined ? "" : `Did you mean ${meant}?`;
    throw new UsageError(`${rawName} must be one of ${spec.choices.join(", ")}.`, hint);
  }
  return value;
}

function unknownFlag(command: Command, known: Flags, rawName: string): UsageError {
  const meant = nearestWord(rawName.replace(/^-+/, ""), Object.keys(known));
  const hint = meant === undefined ? helpHint(command) : `Did you mean --${meant}?`;
  return new UsageError(`svc ${command.name} has no flag ${rawName}.`, hint);
}

function readArgs(command: Command, given: readonly string[]): Values {
  const values: Record<string, string | string[] | undefined> = {};
  const rest = [...given];
  for (const [name, spec] of Object.entries<ArgSpec>(command.args)) {
    const isMissing = rest.length === 0 && spec.isOptional !== true;
    if (isMissing) {
      throw new UsageError(`${argName(name)} is missing: ${spec.summary}`, helpHint(command));
    }
    values[name] = spec.isRepeatable === true ? rest.splice(0) : rest.shift();
  }
  const [extra] = rest;
  if (extra !== undefined) {
    throw new UsageError(`svc ${command.name} does not take "${extra}".`, helpHint(command));
  }
  return values;
}

/** An argument as help and errors write it. */
export function argName(name: string): string {
  return name.toUpperCase();
}

function helpHint(command: Command): string {
  return `See: svc ${command.name} --help`;
}
