import { describe, expect, test } from "vitest";
import { agentProgram } from "../../agent/commands/program.ts";
import { brokerHelp } from "../../broker/broker-help.ts";
import { wholeProgram } from "../../cli/program.ts";
import type { CommandSpec } from "../../shared/command-line/command.ts";
import {
  flagSummary,
  flagUsage,
  helpText,
  helpWidth,
} from "../../shared/command-line/help-text.ts";
import { commandsOf, flagsOf, type Program } from "../../shared/command-line/program.ts";
import { textWidth } from "../../shared/command-line/terminal-text.ts";

/** What is typed where the launcher has a name, and where it is found by its place. */
const whole = await wholeProgram();
const launchers = ["svc", "./svc", "/home/somebody/projects/svc/svc"];

const programs: (readonly [string, Program])[] = [
  ...launchers.map((name) => [name, startedAs(name)] as const),
  ["svc-agent", agentProgram({})],
];

function startedAs(launcher: string): Program {
  const asTyped = (words: string): string => words.replaceAll(/(?<![\w./-])svc /g, `${launcher} `);
  return { ...(whole as unknown as Program), asTyped };
}

/** Every text of help there is: on all, on each noun, on each command. */
function everyHelp(program: Program): string[][] {
  const names = commandsOf(program).map(({ name }) => name.split(" "));
  const nouns = [...new Set(names.map(([noun = ""]) => noun))].map((noun) => [noun]);
  return [[], ...nouns, ...names];
}

/** The words of a text, however its lines are broken. */
function wordsOf(text: string): string {
  return text.replaceAll(/ \\\n/g, "\n").replaceAll(/^ *# /gm, "").replaceAll(/\s+/g, " ");
}

/** All that a command's description says. */
function textsOf(program: Program, command: CommandSpec): string[] {
  const flags = Object.entries(flagsOf(program, command));
  const texts = [
    command.summary,
    command.details ?? "",
    ...Object.values(command.args).map(({ summary }) => summary),
    ...flags.map(([name, spec]) => `${flagUsage(name, spec)} ${flagSummary(spec)}`),
    ...(command.codes ?? []).map(([code, means]) => `${code} ${means}`),
    ...command.examples.flatMap(({ does, run }) => [does, run]),
  ];
  return texts.map((text) => wordsOf(program.asTyped?.(text) ?? text).trim());
}

describe.each(programs)("help of %s", (_, program) => {
  test("has no line wider than 80 columns", () => {
    const wide = everyHelp(program).flatMap((words) =>
      helpText(words, program)
        .split("\n")
        .filter((line) => textWidth(line) > 80),
    );
    expect(wide).toEqual([]);
  });

  test.each([40, 80, 100])("says all that the table of commands says, in %d columns", (width) => {
    const lost = commandsOf(program).flatMap((command) => {
      const help = wordsOf(helpText(command.name.split(" "), program, width));
      return textsOf(program, command).filter((text) => !help.includes(text));
    });
    expect(lost).toEqual([]);
  });
});

test("help of svc-broker has no line wider than 80 columns", () => {
  expect(brokerHelp.split("\n").filter((line) => textWidth(line) > 80)).toEqual([]);
});

test("help is as wide as the terminal, up to 100 columns; a pipe gets 80", () => {
  expect(helpWidth({ isTTY: true, columns: 60 })).toBe(60);
  expect(helpWidth({ isTTY: true, columns: 240 })).toBe(100);
  expect(helpWidth({ isTTY: true, columns: 0 })).toBe(80);
  expect(helpWidth({ isTTY: false, columns: 240 })).toBe(80);
});
