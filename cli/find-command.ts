import { nearestWord } from "../shared/nearest-word.ts";
import type { Command } from "./command.ts";
import { UsageError } from "./usage-error.ts";

/** The command that the words begin with, and the words after it; a UsageError names the nearest one, or what there is. */
export function findCommand(
  words: readonly string[],
  commands: readonly Command[],
): { readonly command: Command; readonly rest: readonly string[] } {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(" ");
    const command = commands.find((each) => each.name === name);
    if (command !== undefined) return { command, rest: words.slice(length) };
  }
  throw unknownCommand(words, commands);
}

/** The commands of a noun: `job` has `job create`, `job list`, …; all for no word. */
export function listCommands(
  words: readonly string[],
  commands: readonly Command[],
): readonly Command[] {
  const visible = commands.filter(({ isHidden }) => isHidden !== true);
  if (words.length === 0) return visible;
  const name = words.join(" ");
  return visible.filter((each) => each.name === name || each.name.startsWith(`${name} `));
}

function unknownCommand(words: readonly string[], commands: readonly Command[]): UsageError {
  const [noun = "", verb] = words;
  const verbs = verbsOf(noun, commands);
  if (verbs.length > 0 && verb === undefined) {
    return new UsageError(`svc ${noun} what? ${verbs.join(", ")}.`, `See: svc ${noun} --help`);
  }
  const typed = words.slice(0, 2).join(" ");
  return new UsageError(`There is no command svc ${typed}.`, hintFor(noun, verb, commands));
}

/** The nearest command, word by word: far words are not near because they stand beside a right one. */
function hintFor(noun: string, verb = "", commands: readonly Command[]): string {
  const nouns = [...new Set(listCommands([], commands).map(({ name }) => nounOf(name)))];
  const meantNoun = nouns.includes(noun) ? noun : nearestWord(noun, nouns);
  if (meantNoun === undefined) return "See: svc --help";
  const verbs = verbsOf(meantNoun, commands);
  const meantVerb = nearestWord(verb, verbs);
  if (meantVerb !== undefined) return `Did you mean svc ${meantNoun} ${meantVerb}?`;
  if (meantNoun === noun) return `There are: svc ${noun} ${verbs.join(", ")}.`;
  return `Did you mean svc ${meantNoun}?`;
}

const nounOf = (name: string): string => name.split(" ")[0] ?? name;

function verbsOf(noun: string, commands: readonly Command[]): string[] {
  return listCommands([noun], commands)
    .filter(({ name }) => name !== noun)
    .map(({ name }) => name.slice(noun.length + 1));
}
