import type { Command, FlagSpec } from "./command.ts";
import { listCommands } from "./find-command.ts";
import { globalFlagsOf } from "./parse-command.ts";

/** What can come next on a command line; ids of runners and jobs are the shell's to ask for. */
export type Suggestion = {
  readonly words: readonly string[];
  readonly offers?: "runners" | "jobs";
};

const scripts: Readonly<Record<string, string>> = {
  bash: `_svc() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
    svc completion suggest -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null
  )
}
complete -o default -F _svc svc`,
  zsh: `#compdef svc
_svc() {
  local -a words_after
  words_after=("\${(@f)$(svc completion suggest -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$words_after" ]]; then compadd -a words_after; else _files; fi
}
compdef _svc svc`,
  fish: `complete -c svc -f -a '(svc completion suggest -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
};

export const shells = ["bash", "zsh", "fish"] as const;

/** The script that a shell reads; it asks `svc completion suggest` at every Tab, so it never falls behind. */
export function completionScript(shell: (typeof shells)[number]): string {
  return scripts[shell] ?? "";
}

/** What may stand where the last of the words is being typed. */
export function suggest(words: readonly string[], commands: readonly Command[]): Suggestion {
  const before = words.slice(0, -1);
  const plain = before.filter((word) => !word.startsWith("-"));
  const command = commandAt(plain, commands);
  if (command === undefined) return { words: nextNames(plain, commands) };
  const flags: Readonly<Record<string, FlagSpec>> = { ...command.flags, ...globalFlagsOf(command) };
  const asked = valueAsked(before.at(-1), flags);
  if (asked !== undefined) return valuesOf(asked.name, asked.spec);
  if (words.at(-1)?.startsWith("-") === true) {
    return { words: Object.keys(flags).map((name) => `--${name}`) };
  }
  const [arg] = Object.values(command.args);
  return arg?.offers === undefined ? { words: [] } : { words: [], offers: arg.offers };
}

function commandAt(plain: readonly string[], commands: readonly Command[]): Command | undefined {
  const named = (length: number) =>
    commands.find(({ name }) => name === plain.slice(0, length).join(" "));
  return plain.length === 0 ? undefined : (named(2) ?? named(1));
}

/** The next word of every command that begins so: nouns first, then the noun's verbs. */
function nextNames(plain: readonly string[], commands: readonly Command[]): string[] {
  const next = listCommands(plain.slice(0, 1), commands).map(
    ({ name }) => name.split(" ")[plain.length] ?? "",
  );
  return [...new Set(next)].filter((word) => word !== "");
}

function valueAsked(
  last: string | undefined,
  flags: Readonly<Record<string, FlagSpec>>,
): { name: string; spec: FlagSpec } | undefined {
  const found = Object.entries(flags).find(
    ([name, spec]) =>
      last === `--${name}` || (spec.short !== undefined && last === `-${spec.short}`),
  );
  return found?.[1].value === undefined ? undefined : { name: found[0], spec: found[1] };
}

function valuesOf(name: string, spec: FlagSpec): Suggestion {
  if (name === "runner") return { words: [], offers: "runners" };
  return { words: spec.choices ?? [] };
}
