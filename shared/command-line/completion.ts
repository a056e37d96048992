import type { ArgSpec, CommandSpec, FlagSpec, FlagSpecs } from "./command.ts";
import { commandAtStart, listCommands } from "./find-command.ts";
import { flagsOf, type Program } from "./program.ts";

/** What can come next on a command line; ids are the program's to ask for, by the name of their kind. */
export type Suggestion = { readonly words: readonly string[]; readonly offers?: string };

export const shells = ["bash", "zsh", "fish"] as const;

/** The script that a shell reads; it asks `PROGRAM completion suggest` at every Tab, so it is never out of date. */
export function completionScript(program: string, shell: (typeof shells)[number]): string {
  const own = `_${program.replaceAll("-", "_")}`;
  if (shell === "bash") {
    return `${own}() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
    ${program} completion suggest -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null
  )
}
complete -o default -F ${own} ${program}`;
  }
  if (shell === "zsh") {
    return `#compdef ${program}
${own}() {
  local -a words_after
  words_after=("\${(@f)$(${program} completion suggest -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$words_after" ]]; then compadd -a words_after; else _files; fi
}
compdef ${own} ${program}`;
  }
  const asked = `${program} completion suggest -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null`;
  return `complete -c ${program} -f -a '(${asked})'`;
}

/** What may stand where the last of the words is being typed. */
export function suggest(words: readonly string[], program: Program): Suggestion {
  const before = words.slice(0, -1);
  const typed = words.at(-1) ?? "";
  const starting = (all: readonly string[]) => all.filter((word) => word.startsWith(typed));
  const plain = before.filter((word) => !word.startsWith("-"));
  const command = commandAtStart(plain, program);
  if (command === undefined) return { words: starting(nextNames(plain, program)) };
  const flags = flagsOf(program, command);
  const asked = valueAsked(before.at(-1), flags);
  if (asked !== undefined) return valuesOf(asked, starting);
  if (typed.startsWith("-")) {
    return { words: starting(Object.keys(flags).map((name) => `--${name}`)) };
  }
  const arg = argAt(before, command, flags);
  return arg === undefined ? { words: [] } : valuesOf(arg, starting);
}

/** The argument that is being typed: of the words before, some are flags or their values. */
function argAt(
  before: readonly string[],
  command: CommandSpec,
  flags: FlagSpecs,
): ArgSpec | undefined {
  const isPlain = (word: string, at: number): boolean =>
    !word.startsWith("-") && valueAsked(before[at - 1], flags) === undefined;
  const position = before.filter(isPlain).length - command.name.split(" ").length;
  const args = Object.values<ArgSpec>(command.args);
  const last = args.at(-1);
  return args[position] ?? (last?.isRepeatable === true ? last : undefined);
}

function valuesOf(
  { choices = [], offers }: FlagSpec | ArgSpec,
  starting: (all: readonly string[]) => string[],
): Suggestion {
  return { words: starting(choices), ...(offers !== undefined && { offers }) };
}

/** The next word of every command that begins so: nouns first, then the noun's verbs. */
function nextNames(plain: readonly string[], program: Program): string[] {
  const next = listCommands(plain.slice(0, 1), program).map(
    ({ name }: CommandSpec) => name.split(" ")[plain.length] ?? "",
  );
  return [...new Set(next)].filter((word) => word !== "");
}

/** The flag whose value is being typed. */
function valueAsked(last: string | undefined, flags: FlagSpecs): FlagSpec | undefined {
  const found = Object.entries(flags).find(
    ([name, { short }]) => last === `--${name}` || (short !== undefined && last === `-${short}`),
  );
  return found?.[1].value === undefined ? undefined : found[1];
}
