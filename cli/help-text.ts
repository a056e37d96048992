import type { Command, FlagSpec } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { findCommand, listCommands } from "./find-command.ts";
import { argName, globalFlagsOf } from "./parse-command.ts";

/** Help on everything, on a noun's commands, or on one command; a UsageError for words that are none of these. */
export function helpText(words: readonly string[], commands: readonly Command[]): string {
  const listed = listCommands(words.slice(0, 2), commands);
  const [only] = listed;
  if (words.length === 0) return overview(listed);
  if (listed.length > 1) return `${commandList(listed)}\n\nMore: svc ${listed[0]?.name} --help`;
  return commandHelp(only ?? findCommand(words, commands).command);
}

/** How a command is typed: `svc job create --runner ID --type TYPE [flags]`. */
export function usageLine(command: Command): string {
  const args = Object.entries(command.args).map(([name, spec]) => {
    const shown = `${argName(name)}${spec.isRepeatable === true ? "…" : ""}`;
    return spec.isOptional === true ? `[${shown}]` : shown;
  });
  const required = Object.entries(command.flags)
    .filter(([, spec]) => spec.isRequired === true)
    .map(([name, spec]) => `--${name} ${spec.value ?? ""}`);
  return ["svc", command.name, ...args, ...required, "[flags]"].join(" ");
}

/** The flag as it is typed, with its short form and its value: `-o, --output FORMAT`. */
export function flagUsage(name: string, { short, value }: FlagSpec): string {
  const long = `--${name}${value === undefined ? "" : ` ${value}`}`;
  return short === undefined ? long : `-${short}, ${long}`;
}

function overview(commands: readonly Command[]): string {
  const codes = Object.values(exitCodes).map(({ code, means }) => [String(code), means] as const);
  return [
    "svc: a broker that keeps four clocks over every job.",
    commandList(commands),
    `Exit codes:\n${columns(codes)}`,
    "More: svc COMMAND --help\nStart here: svc dev",
  ].join("\n\n");
}

function commandList(commands: readonly Command[]): string {
  return columns(commands.map(({ name, summary }) => [`svc ${name}`, summary] as const));
}

function commandHelp(command: Command): string {
  const args = Object.entries(command.args).map(
    ([name, spec]) => [argName(name), spec.summary] as const,
  );
  const parts = [
    command.summary,
    `  ${usageLine(command)}`,
    command.details ?? "",
    args.length === 0 ? "" : `Arguments:\n${columns(args)}`,
    flagList("Flags", command.flags),
    flagList("Flags of every command", globalFlagsOf(command)),
    command.codes === undefined ? "" : `Exit codes:\n${columns(command.codes)}`,
    `Examples:\n${command.examples.map(({ does, run }) => `  # ${does}\n  ${run}`).join("\n")}`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function flagList(title: string, flags: Readonly<Record<string, FlagSpec>>): string {
  const rows = Object.entries(flags).map(([name, spec]) => {
    const repeated = spec.isRepeatable === true ? " May be given more than once." : "";
    return [flagUsage(name, spec), `${spec.summary}${repeated}`] as const;
  });
  return rows.length === 0 ? "" : `${title}:\n${columns(rows)}`;
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}
