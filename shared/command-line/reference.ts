import type { CommandSpec, FlagSpecs } from "./command.ts";
import { listCommands } from "./find-command.ts";
import { flagSummary, flagUsage, usageLine } from "./help-text.ts";
import { argName } from "./parse-line.ts";
import type { Program } from "./program.ts";
import { type Entry, type SaidOnce, sayOnce } from "./said-once.ts";

/**
 * A program's page of reference: its head, a line of links, what goes for all commands, and a section for each noun with its commands. What
 * several commands explain alike is said once; their headings and the line “Also” name it.
 */
export function reference(
  program: Program,
  { head, common }: { readonly head: readonly string[]; readonly common: readonly string[] },
): string {
  const nouns = [...new Set(listCommands([], program).map(nounOf))];
  const exits = program.exitCodes.map(({ code, means }) => [String(code), means] as const);
  const once = sayOnce(
    listCommands([], program).map((command) => ({
      noun: nounOf(command),
      entries: entriesOf(command),
    })),
  );
  const ofSeveral =
    once.common.length === 0
      ? []
      : ["### Common arguments and flags", alsoWords, entryList(once.common)];
  return `${[
    ...head,
    nouns.map((noun) => `[${noun}](#${program.name}-${noun})`).join(" · "),
    "## Every command",
    ...common,
    "### Exit codes",
    table("Code", exits),
    ...ofSeveral,
    ...nouns.flatMap((noun) => [
      `## ${program.name} ${noun}`,
      ...some(entryList(once.ofNoun(noun))),
      ...listCommands([noun], program).map((command) => section(program, command, once)),
    ]),
  ].join("\n\n")}\n`;
}

const alsoWords =
  "A command takes those of this list that its heading or its line “Also” names, unless the section of its noun explains one by the same name.";

/** A table of flags as they are typed. */
export function flagTable(flags: FlagSpecs): string {
  return table(
    "Flag",
    flagEntries(flags).map(({ typed, text }) => [`\`${typed}\``, text] as const),
  );
}

/** A Markdown table of two columns, the second without a title. */
export function table(title: string, rows: readonly (readonly [string, string])[]): string {
  const lines = rows.map(([left, right]) => `| ${left} | ${right.replaceAll("|", "\\|")} |`);
  return [`| ${title} | |`, "|---|---|", ...lines].join("\n");
}

function section(program: Program, command: CommandSpec, once: SaidOnce): string {
  const noun = nounOf(command);
  const usage = usageLine(program, command).replace(/ \[flags\]$/, "");
  const own = entriesOf(command).filter((entry) => !once.isElsewhere(noun, entry));
  const also = flagEntries(command.flags)
    .filter((entry) => once.isElsewhere(noun, entry))
    .map(({ name }) => inCode(name));
  const examples = command.examples.map(({ does, run }) => `# ${does}\n${run}`).join("\n");
  return [
    usage === `${program.name} ${noun}` ? "" : `### ${usage}`,
    command.summary,
    command.details ?? "",
    entryList(own),
    also.length === 0 ? "" : `Also ${also.join(", ")}.`,
    ...program.sharedFlags(command).map((group) => group.reference ?? ""),
    command.codes === undefined ? "" : table("Exit code", command.codes),
    examples === "" ? "" : `\`\`\`sh\n${examples}\n\`\`\``,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const nounOf = ({ name }: CommandSpec): string => name.split(" ")[0] ?? name;

const entriesOf = ({ args, flags }: CommandSpec): Entry[] => [
  ...Object.entries(args).map(([name, { summary }]) => ({
    name: argName(name),
    typed: argName(name),
    text: summary,
  })),
  ...flagEntries(flags),
];

const flagEntries = (flags: FlagSpecs): Entry[] =>
  Object.entries(flags).map(([name, spec]) => ({
    name: `--${name}`,
    typed: flagUsage(name, spec),
    text: flagSummary(spec, inCode),
  }));

const entryList = (entries: readonly Entry[]): string =>
  entries.map(({ typed, text }) => `- \`${typed}\`: ${text}`).join("\n");

const some = (text: string): string[] => (text === "" ? [] : [text]);

const inCode = (choice: string): string => `\`${choice}\``;
