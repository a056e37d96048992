import { nearestWord } from "../nearest-word.ts";
import type { CommandSpec } from "./command.ts";
import { commandsOf, type Program } from "./program.ts";
import { UsageError } from "./usage-error.ts";

/** The command that the words begin with, and the words after it; a UsageError names the nearest one, or what there is. */
export function findCommand<C extends CommandSpec>(
  words: readonly string[],
  program: Program<C>,
): { readonly command: C; readonly rest: readonly string[] } {
  const command = commandAtStart(words, program);
  if (command === undefined) throw unknownCommand(words, program);
  return { command, rest: words.slice(command.name.split(" ").length) };
}

/** The command with the longest name that the words begin with. */
export function commandAtStart<C extends CommandSpec>(
  words: readonly string[],
  program: Program<C>,
): C | undefined {
  return commandsOf(program)
    .filter(({ name }) => name.split(" ").every((word, at) => words[at] === word))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
}

/** The commands of a noun: `job` has `job create`, `job list`, …; all for no word. */
export function listCommands<C extends CommandSpec>(
  words: readonly string[],
  program: Program<C>,
): readonly C[] {
  const visible = commandsOf(program).filter(({ isHidden }) => isHidden !== true);
  if (words.length === 0) return visible;
  const name = words.join(" ");
  return visible.filter((each) => each.name === name || each.name.startsWith(`${name} `));
}

function unknownCommand(words: readonly string[], program: Program): UsageError {
  const [noun = "", verb] = words;
  const verbs = verbsOf(noun, program);
  if (verbs.length > 0 && verb === undefined) {
    return new UsageError(
      `${program.name} ${noun} needs a subcommand: ${verbs.join(", ")}.`,
      `See: ${program.name} ${noun} --help`,
    );
  }
  const typed = words.slice(0, 2).join(" ");
  return new UsageError(
    `Unknown command: ${program.name} ${typed}.`,
    hintFor({ noun, verb: verb ?? "" }, program),
  );
}

/** The nearest command, word by word: far words are not near because they stand beside a right one. */
function hintFor(
  { noun, verb }: { readonly noun: string; readonly verb: string },
  program: Program,
): string {
  const { name } = program;
  const hint = program.hints?.[noun];
  if (hint !== undefined) return hint;
  const nouns = [...new Set(listCommands([], program).map((command) => nounOf(command.name)))];
  const meantNoun = nouns.includes(noun) ? noun : nearestWord(noun, nouns);
  if (meantNoun === undefined) return `See: ${name} --help`;
  const verbs = verbsOf(meantNoun, program);
  const meantVerb = nearestWord(verb, verbs);
  if (meantVerb !== undefined) return `Did you mean ${name} ${meantNoun} ${meantVerb}?`;
  if (meantNoun === noun) return `${name} ${noun} has: ${verbs.join(", ")}.`;
  return `Did you mean ${name} ${meantNoun}?`;
}

const nounOf = (name: string): string => name.split(" ")[0] ?? name;

function verbsOf(noun: string, program: Program): string[] {
  return listCommands([noun], program)
    .filter(({ name }) => name !== noun)
    .map(({ name }) => name.slice(noun.length + 1));
}
