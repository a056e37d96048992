import type { CommandSpec, FlagSpec, FlagSpecs } from "./command.ts";
import { findCommand, listCommands } from "./find-command.ts";
import { argName } from "./parse-line.ts";
import type { Program } from "./program.ts";
import { columns, wrap } from "./terminal-text.ts";

/**
 * Help on everything, on a noun's commands, or on one command; a UsageError for words that are none of these. Lines are
 * broken at the terminal's width, where there is one.
 */
export function helpText<C extends CommandSpec>(
  words: readonly string[],
  program: Program<C>,
  width = Infinity,
): string {
  const listed = listCommands(words.slice(0, 2), program);
  const [only] = listed;
  if (words.length === 0) return overview(program, width);
  if (listed.length > 1) {
    const itself = listed.find(({ name }) => name === words.join(" "));
    const others = listed.filter((command) => command !== itself);
    const more = `See: ${program.name} ${others[0]?.name} --help`;
    const list = `${commandList(program, others, width)}\n\n${more}`;
    return itself === undefined ? list : `${commandHelp(program, itself, width)}\n\nMore:\n${list}`;
  }
  return commandHelp(program, only ?? findCommand(words, program).command, width);
}

/** How a command is typed: `svc job create --runner ID --type TYPE [flags]`. */
export function usageLine(program: Pick<Program, "name">, command: CommandSpec): string {
  const args = Object.entries(command.args).map(([name, spec]) => {
    const shown = `${argName(name)}${spec.isRepeatable === true ? "…" : ""}`;
    return spec.isOptional === true ? `[${shown}]` : shown;
  });
  const required = Object.entries(command.flags)
    .filter(([, spec]) => spec.isRequired === true)
    .map(([name, spec]) => `--${name} ${spec.value ?? ""}`);
  return [program.name, command.name, ...args, ...required, "[flags]"].join(" ");
}

/** The flag as it is typed, with its short form and its value: `-o, --output FORMAT`. */
export function flagUsage(name: string, { short, value }: FlagSpec): string {
  const long = `--${name}${value === undefined ? "" : ` ${value}`}`;
  return short === undefined ? long : `-${short}, ${long}`;
}

/** What a flag is for, and which values it takes. */
export function flagSummary(
  { summary, choices, isRepeatable }: FlagSpec,
  show: (choice: string) => string = (choice) => choice,
): string {
  const words = choices?.map((choice) => (choice === "" ? "the empty string" : show(choice)));
  const values = words === undefined ? "" : ` One of ${words.join(", ")}.`;
  return `${summary}${values}${isRepeatable === true ? " Can be repeated." : ""}`;
}

function overview(program: Program, width: number): string {
  const codes = program.exitCodes.map(({ code, means }) => [String(code), means] as const);
  const groups = program.groups.map(({ title, commands }) => {
    const visible = commands.filter(({ isHidden }) => isHidden !== true);
    return `${title}:\n${commandList(program, visible, width)}`;
  });
  return [
    ...wrap(program.summary, width),
    ...groups,
    `Exit codes:\n${columns(codes, width)}`,
    `Help on one command: ${program.name} COMMAND --help\n${program.footer}`,
  ].join("\n\n");
}

function commandList(program: Program, commands: readonly CommandSpec[], width: number): string {
  const rows = commands.map(({ name, summary }) => [`${program.name} ${name}`, summary] as const);
  return columns(rows, width);
}

function commandHelp<C extends CommandSpec>(program: Program<C>, command: C, width: number) {
  const args = Object.entries(command.args).map(
    ([name, spec]) => [argName(name), spec.summary] as const,
  );
  const examples = command.examples.map(({ does, run }) => `  # ${does}\n  ${run}`);
  const parts = [
    wrap(command.summary, width).join("\n"),
    `  ${usageLine(program, command)}`,
    wrap(command.details ?? "", width).join("\n"),
    args.length === 0 ? "" : `Arguments:\n${columns(args, width)}`,
    flagList("Flags", command.flags, width),
    ...program.sharedFlags(command).map(({ title, flags }) => flagList(title, flags, width)),
    command.codes === undefined ? "" : `Exit codes:\n${columns(command.codes, width)}`,
    examples.length === 0 ? "" : `Examples:\n${examples.join("\n")}`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function flagList(title: string, flags: FlagSpecs, width: number): string {
  const rows = Object.entries(flags).map(([name, spec]) => {
    return [flagUsage(name, spec), flagSummary(spec)] as const;
  });
  return rows.length === 0 ? "" : [...wrap(`${title}:`, width), columns(rows, width)].join("\n");
}
