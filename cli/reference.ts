import type { Command, FlagSpec } from "./command.ts";
import { variables } from "./config.ts";
import { exitCodes } from "./exit-codes.ts";
import { listCommands } from "./find-command.ts";
import { brokerFlags, everyFlags } from "./global-flags.ts";
import { flagUsage, usageLine } from "./help-text.ts";
import { argName } from "./parse-command.ts";

/** docs/cli.md, made from the table of commands; a test keeps the file in step. */
export function commandReference(commands: readonly Command[]): string {
  const visible = listCommands([], commands);
  const nouns = [...new Set(visible.map(({ name }) => name.split(" ")[0] ?? name))];
  return `${[
    "# The command line",
    "Made from the table in cli/commands.ts: `npx vitest run test/cli/reference.test.ts -u` writes it anew.",
    "In the project's folder it is `npx svc`; `svc COMMAND --help` shows the same as below.",
    nouns.map((noun) => `[${noun}](#svc-${noun})`).join(" · "),
    "## Every command",
    table("Flag", flagRows(everyFlags)),
    "Commands that ask a broker also have:",
    table("Flag", flagRows(brokerFlags)),
    `### Environment`,
    table("Variable", Object.entries(variables)),
    "Flags come before the environment, that before what `svc auth login` saved, that before what the project's own " +
      "`svc dev` keeps (which SVC_DATA_DIR puts first). A saved token is sent only to the URL it was saved with.",
    "### Exit codes",
    table("Code", exitRows()),
    ...nouns.flatMap((noun) => [`## svc ${noun}`, ...listCommands([noun], visible).map(section)]),
  ].join("\n\n")}\n`;
}

function section(command: Command): string {
  const args = Object.entries(command.args).map(
    ([name, { summary }]) => [`\`${argName(name)}\``, summary] as const,
  );
  const examples = command.examples.map(({ does, run }) => `# ${does}\n${run}`).join("\n");
  return [
    `### ${usageLine(command)}`,
    command.summary,
    command.details ?? "",
    args.length === 0 ? "" : table("Argument", args),
    Object.keys(command.flags).length === 0 ? "" : table("Flag", flagRows(command.flags)),
    command.codes === undefined ? "" : table("Exit code", command.codes),
    `\`\`\`sh\n${examples}\n\`\`\``,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function flagRows(flags: Readonly<Record<string, FlagSpec>>): (readonly [string, string])[] {
  return Object.entries(flags).map(([name, spec]) => {
    const choices = spec.choices === undefined ? "" : ` One of ${wordsOf(spec.choices)}.`;
    const repeated = spec.isRepeatable === true ? " May be given more than once." : "";
    return [`\`${flagUsage(name, spec)}\``, `${spec.summary}${choices}${repeated}`] as const;
  });
}

const wordsOf = (choices: readonly string[]): string =>
  choices.map((choice) => (choice === "" ? "the empty word" : `\`${choice}\``)).join(", ");

const exitRows = (): (readonly [string, string])[] =>
  Object.values(exitCodes).map(({ code, means }) => [String(code), means] as const);

function table(title: string, rows: readonly (readonly [string, string])[]): string {
  const lines = rows.map(([left, right]) => `| ${left} | ${right.replaceAll("|", "\\|")} |`);
  return [`| ${title} | |`, "|---|---|", ...lines].join("\n");
}
