import type { CommandSpec, FlagSpecs } from "./command.ts";
import { listCommands } from "./find-command.ts";
import { flagSummary, flagUsage, usageLine } from "./help-text.ts";
import { argName } from "./parse-line.ts";
import type { Program } from "./program.ts";

/** A program's page of reference: its head, a line of links, what goes for all commands, and a section for each. */
export function reference(
  program: Program,
  { head, common }: { readonly head: readonly string[]; readonly common: readonly string[] },
): string {
  const nouns = [
    ...new Set(listCommands([], program).map(({ name }) => name.split(" ")[0] ?? name)),
  ];
  const exits = program.exitCodes.map(({ code, means }) => [String(code), means] as const);
  return `${[
    ...head,
    nouns.map((noun) => `[${noun}](#${program.name}-${noun})`).join(" · "),
    "## Every command",
    ...common,
    "### Exit codes",
    table("Code", exits),
    ...nouns.flatMap((noun) => [
      `## ${program.name} ${noun}`,
      ...listCommands([noun], program).map((command) => section(program, command)),
    ]),
  ].join("\n\n")}\n`;
}

/** A table of flags as they are typed. */
export function flagTable(flags: FlagSpecs): string {
  const rows = Object.entries(flags).map(([name, spec]) => {
    return [`\`${flagUsage(name, spec)}\``, flagSummary(spec, inCode)] as const;
  });
  return table("Flag", rows);
}

/** A Markdown table of two columns, the second without a title. */
export function table(title: string, rows: readonly (readonly [string, string])[]): string {
  const lines = rows.map(([left, right]) => `| ${left} | ${right.replaceAll("|", "\\|")} |`);
  return [`| ${title} | |`, "|---|---|", ...lines].join("\n");
}

function section(program: Program, command: CommandSpec): string {
  const args = Object.entries(command.args).map(
    ([name, { summary }]) => [`\`${argName(name)}\``, summary] as const,
  );
  const examples = command.examples.map(({ does, run }) => `# ${does}\n${run}`).join("\n");
  return [
    `### ${usageLine(program, command)}`,
    command.summary,
    command.details ?? "",
    args.length === 0 ? "" : table("Argument", args),
    Object.keys(command.flags).length === 0 ? "" : flagTable(command.flags),
    ...program.sharedFlags(command).map((group) => group.reference ?? ""),
    command.codes === undefined ? "" : table("Exit code", command.codes),
    examples === "" ? "" : `\`\`\`sh\n${examples}\n\`\`\``,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const inCode = (choice: string): string => `\`${choice}\``;
