import { nearestWord } from "../shared/nearest-word.ts";
import type { Command } from "./command.ts";
import { UsageError } from "./usage-error.ts";

/** The command that the words begin with, and the words after it; a UsageError names the nearest one. */
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
  const ofNoun = listCommands([noun], commands);
  if (ofNoun.length > 0 && verb === undefined) {
    const names = ofNoun.map(({ name }) => name.slice(noun.length + 1)).join(", ");
    return new UsageError(`svc ${noun} what? ${names}.`, `See: svc ${noun} --help`);
  }
  const typed = words.slice(0, 2).join(" ");
  const names = (ofNoun.length > 0 ? ofNoun : listCommands([], commands)).map(({ name }) => name);
  const nouns = [...new Set(names.map((name) => name.split(" ")[0] ?? name))];
  const meant = nearestWord(typed, names) ?? nearestWord(noun, nouns);
  const hint = meant === undefined ? "See: svc --help" : `Did you mean svc ${meant}?`;
  return new UsageError(`There is no command svc ${typed}.`, hint);
}
