import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { nearestWord } from "../nearest-word.ts";
import type { ArgSpec, CommandSpec, FlagSpec, FlagSpecs, Given, Values } from "./command.ts";
import { commandAtStart, findCommand } from "./find-command.ts";
import { commandsOf, flagsOf, type Program } from "./program.ts";
import { UsageError } from "./usage-error.ts";

export type ParsedLine<C extends CommandSpec> =
  | { readonly kind: "help"; readonly words: readonly string[] }
  | { readonly kind: "run"; readonly command: C; readonly given: Given };

type Token = {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
};

/** Reads a command line by a program's table; throws a UsageError that names what is wrong. */
export function parseLine<C extends CommandSpec>(
  argv: readonly string[],
  program: Program<C>,
): ParsedLine<C> {
  const { words, options } = tokenize(argv, program);
  if (options.some(({ name }) => name === "help")) return { kind: "help", words };
  if (words[0] === "help") return { kind: "help", words: words.slice(1) };
  if (words.length === 0 && options.length === 0) return { kind: "help", words };
  if (words.length === 0) {
    const [option] = options;
    throw new UsageError(
      `There is no command before or after ${option?.rawName}.`,
      `See: ${program.name} --help`,
    );
  }
  const { command, rest } = findCommand(words, program);
  const line: Line = { title: `${program.name} ${command.name}`, known: flagsOf(program, command) };
  const flags = readFlags(line, options);
  return { kind: "run", command, given: { args: readArgs(line, command, rest), flags } };
}

/** The words of a line that are no flags and no values of flags, and whether the program's commands have all the flags on it. */
export function readWords(
  argv: readonly string[],
  program: Program,
): { readonly words: readonly string[]; readonly areFlagsKnown: boolean } {
  const { words, options, known } = tokenize(argv, program);
  return { words, areFlagsKnown: options.every(({ name }) => Object.hasOwn(known, name)) };
}

/** The command as it is typed, and the flags that it takes. */
type Line = { readonly title: string; readonly known: FlagSpecs };

/**
 * A flag of the same name is of the same kind in nearly every command, so a line can be read before its command is known.
 * A letter may stand for another flag in each command, and `install` is helm's switch and a value elsewhere: they are those of
 * the command that the line begins with.
 */
function tokenize(
  typed: readonly string[],
  program: Program,
): { words: string[]; options: Token[]; known: FlagSpecs } {
  const argv = /^(?:-v|--version)$/.test(typed[0] ?? "") ? ["version", ...typed.slice(1)] : typed;
  const every = commandsOf(program).map((command) => flagsOf(program, command));
  const own = commandAtStart(argv, program)?.flags ?? {};
  const all = Object.assign({}, ...every, own) as FlagSpecs; // each is one
  const ownLetters = new Set(Object.values(own).map(({ short }) => short));
  const options: ParseArgsOptionsConfig = {};
  for (const [name, { value, short }] of Object.entries(all)) {
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
    known: all,
  };
}

/** `--name --other` gives no value to --name, whatever the parser thinks; `--name=--other` and `--name -` do. */
function valueOf(token: { value?: string | undefined; inlineValue?: boolean | undefined }) {
  const isNextFlag = token.inlineValue !== true && /^-./.test(token.value ?? "");
  return isNextFlag ? undefined : token.value;
}

function readFlags(line: Line, options: readonly Token[]): Values {
  const values: Record<string, string | boolean | string[] | undefined> = {};
  for (const [name, spec] of Object.entries(line.known)) {
    if (spec.isRepeatable === true) values[name] = [];
    else if (spec.value === undefined) values[name] = false;
  }
  for (const { name, rawName, value } of options) {
    const spec = Object.hasOwn(line.known, name) ? line.known[name] : undefined;
    if (spec === undefined) throw unknownFlag(line, rawName);
    const read = readValue(spec, rawName, value);
    const before = values[name];
    values[name] = Array.isArray(before) && typeof read === "string" ? [...before, read] : read;
  }
  for (const [name, spec] of Object.entries(line.known)) {
    if (spec.isRequired === true && values[name] === undefined) {
      throw new UsageError(
        `The flag --${name} is required: ${inSentence(spec.summary)}`,
        helpHint(line),
      );
    }
  }
  return values;
}

function readValue(spec: FlagSpec, rawName: string, value: string | undefined): string | boolean {
  if (spec.value === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value.`);
    return true;
  }
  if (value === undefined) throw new UsageError(`${rawName} needs a value: ${spec.value}.`);
  const present = spec.formerly?.[value] ?? value;
  requireChoice(rawName, present, spec.choices);
  return present;
}

function requireChoice(name: string, value: string, choices: readonly string[] | undefined): void {
  if (choices === undefined || choices.includes(value)) return;
  const meant = nearestWord(value, choices);
  const hint = meant === undefined ? "" : `Did you mean ${meant}?`;
  throw new UsageError(`${name} must be one of ${choices.join(", ")}.`, hint);
}

function unknownFlag(line: Line, rawName: string): UsageError {
  const meant = nearestWord(rawName.replace(/^-+/, ""), Object.keys(line.known));
  const hint = meant === undefined ? helpHint(line) : `Did you mean --${meant}?`;
  return new UsageError(`Unknown flag for ${line.title}: ${rawName}.`, hint);
}

function readArgs(line: Line, { args }: CommandSpec, given: readonly string[]): Values {
  const values: Record<string, string | string[] | undefined> = {};
  const rest = [...given];
  let wantedCount = Object.values<ArgSpec>(args).filter((spec) => spec.isOptional !== true).length;
  for (const [name, spec] of Object.entries<ArgSpec>(args)) {
    if (spec.isOptional !== true) wantedCount -= 1;
    else if (spec.isRepeatable !== true && rest.length <= wantedCount) continue; // those after it are required
    if (rest.length === 0 && spec.isOptional !== true) {
      const words = `The argument ${argName(name)} is required: ${inSentence(spec.summary)}`;
      throw new UsageError(words, helpHint(line));
    }
    const taken = spec.isRepeatable === true ? rest.splice(0) : rest.splice(0, 1);
    for (const value of taken) requireChoice(argName(name), value, spec.choices);
    values[name] = spec.isRepeatable === true ? taken : taken[0];
  }
  const [extra] = rest;
  if (extra !== undefined) {
    throw new UsageError(`Unexpected argument for ${line.title}: "${extra}".`, helpHint(line));
  }
  return values;
}

/** An argument as help and errors write it. */
export function argName(name: string): string {
  return name.toUpperCase();
}

const helpHint = ({ title }: Line): string => `See: ${title} --help`;

/** A summary as it goes on after a colon; a name in capitals stays one. */
const inSentence = (summary: string): string =>
  /^[A-Z](?:[a-z]| )/.test(summary)
    ? summary.slice(0, 1).toLowerCase() + summary.slice(1)
    : summary;
