import type { CommandSpec, Example, FlagSpec, FlagSpecs } from "./command.ts";
import { findCommand, listCommands } from "./find-command.ts";
import { argName } from "./parse-line.ts";
import type { Program } from "./program.ts";
import { columns, wrap, wrapCommand } from "./terminal-text.ts";

/** Of a file, a pipe, and a terminal that does not say. */
const usualWidth = 80;

/** Longer lines are hard to read, however wide the terminal. */
const widest = 100;

/** How wide help is on this. */
export function helpWidth({
  isTTY,
  columns: width,
}: Pick<NodeJS.WriteStream, "isTTY" | "columns">): number {
  return isTTY && width > 0 ? Math.min(width, widest) : usualWidth;
}

/** What help is written for: its lines are broken at the width. */
type Page<C extends CommandSpec = CommandSpec> = {
  readonly program: Program<C>;
  readonly width: number;
};

/**
 * Help on everything, on a noun's commands, or on one command; a UsageError for words that are none of these. No line is
 * wider than the width, but for a word that is.
 */
export function helpText<C extends CommandSpec>(
  words: readonly string[],
  program: Program<C>,
  width = usualWidth,
): string {
  const page = { program, width };
  const listed = listCommands(words.slice(0, 2), program);
  const [only] = listed;
  if (words.length === 0) return overview(page);
  if (listed.length > 1) {
    const itself = listed.find(({ name }) => name === words.join(" "));
    const others = listed.filter((command) => command !== itself);
    const more = typed(page, `See: ${program.name} ${others[0]?.name} --help`);
    const list = `${commandList(page, others)}\n\n${more}`;
    return itself === undefined ? list : `${commandHelp(page, itself)}\n\nMore:\n${list}`;
  }
  return commandHelp(page, only ?? findCommand(words, program).command);
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

function overview(page: Page): string {
  const { program } = page;
  const codes = program.exitCodes.map(({ code, means }) => [String(code), means] as const);
  const groups = program.groups.map(({ title, commands }) => {
    const visible = commands.filter(({ isHidden }) => isHidden !== true);
    return `${title}:\n${commandList(page, visible)}`;
  });
  return [
    paragraph(page, program.summary),
    ...groups,
    titled("Exit codes:", table(page, codes)),
    paragraph(page, `Help on one command: ${program.name} COMMAND --help\n${program.footer}`),
  ].join("\n\n");
}

function commandList(page: Page, commands: readonly CommandSpec[]): string {
  const { program } = page;
  const rows = commands.map(({ name, summary }) => [`${program.name} ${name}`, summary] as const);
  return table(page, rows);
}

function commandHelp<C extends CommandSpec>(page: Page<C>, command: C): string {
  const { program } = page;
  const args = Object.entries(command.args).map(
    ([name, spec]) => [argName(name), spec.summary] as const,
  );
  const parts = [
    paragraph(page, command.summary),
    usage(page, command),
    paragraph(page, command.details ?? ""),
    titled("Arguments:", table(page, args)),
    flagList(page, "Flags", command.flags),
    ...program.sharedFlags(command).map(({ title, flags }) => flagList(page, title, flags)),
    titled("Exit codes:", table(page, command.codes ?? [])),
    titled("Examples:", command.examples.map((each) => exampleLines(page, each)).join("\n")),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function flagList(page: Page, title: string, flags: FlagSpecs): string {
  const rows = Object.entries(flags).map(([name, spec]) => {
    return [flagUsage(name, spec), flagSummary(spec)] as const;
  });
  return titled(paragraph(page, `${title}:`), table(page, rows));
}

function usage(page: Page, command: CommandSpec): string {
  const line = typed(page, usageLine(page.program, command));
  return `  ${wrapCommand(line, page.width - 6, "").join("\n      ")}`;
}

/** The command can be pasted, broken or not. */
function exampleLines(page: Page, { does, run }: Example): string {
  const told = wrap(typed(page, does), page.width - 4).map((line) => `  # ${line}`);
  const lines = run
    .split("\n")
    .map((line) => wrapCommand(typed(page, line), page.width - 6).join("\n      "));
  return [...told, ...lines.map((line) => `  ${line}`)].join("\n");
}

const titled = (title: string, text: string): string => (text === "" ? "" : `${title}\n${text}`);

const paragraph = (page: Page, text: string): string =>
  wrap(typed(page, text), page.width).join("\n");

/** Commands are named as who reads this has to type them. */
const typed = ({ program }: Page, text: string): string => program.asTyped?.(text) ?? text;

const table = (page: Page, rows: readonly (readonly [string, string])[]): string =>
  columns(
    rows.map(([name, text]) => [typed(page, name), typed(page, text)] as const),
    page.width,
  );
