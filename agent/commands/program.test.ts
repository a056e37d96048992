import { describe, expect, test } from "vitest";
import { suggest } from "../../shared/command-line/completion.ts";
import { helpText } from "../../shared/command-line/help-text.ts";
import { parseLine } from "../../shared/command-line/parse-line.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { agentProgram, givenSettings } from "./program.ts";

const program = agentProgram({});
const parse = (line: string) => parseLine(line === "" ? [] : line.split(" "), program);

function refusal(line: string): string {
  try {
    parse(line);
    return "";
  } catch (error) {
    if (error instanceof UsageError) return `${error.message} ${error.hint}`.trim();
    throw error;
  }
}

describe("svc-agent's command line", () => {
  test("takes settings as flags, beside those of the command", () => {
    const parsed = parse("run-job --broker-url http://a --wait=5s --config c.conf");
    if (parsed.kind === "help") throw new Error("asks for help");
    expect(givenSettings(parsed.command, parsed.given)).toEqual({
      "broker-url": "http://a",
      config: "c.conf",
    });
    expect(parsed.given.flags["wait"]).toBe("5s");
  });

  test.each(["", "--help", "help start", "start --help", "output --help", "start -h --nonsense"])(
    'asks for help: "%s"',
    (line) => {
      expect(parse(line).kind).toBe("help");
    },
  );

  test.each(["version", "--version", "-v"])("asks for the version: %s", (line) => {
    expect(parse(line)).toMatchObject({ kind: "run", command: { name: "version" } });
  });

  test.each([
    ["strat", "Unknown command: svc-agent strat. Did you mean svc-agent start?"],
    ["output", "svc-agent output needs a subcommand: set. See: svc-agent output --help"],
    ["output st", "Unknown command: svc-agent output st. Did you mean svc-agent output set?"],
    [
      "start --tokn-file x",
      "Unknown flag for svc-agent start: --tokn-file. Did you mean --token-file?",
    ],
    ["start --token x", "Unknown flag for svc-agent start: --token. Did you mean --token-file?"],
    ["start --mode", "--mode needs a value: MODE."],
    [
      "status --runner x",
      "Unknown flag for svc-agent status: --runner. See: svc-agent status --help",
    ],
    ["start now", 'Unexpected argument for svc-agent start: "now". See: svc-agent start --help'],
    [
      "output set --secret",
      "The argument NAME is required: the output's name. See: svc-agent output set --help",
    ],
  ])('is refused: "%s"', (line, words) => {
    expect(refusal(line)).toBe(words);
  });

  test("completes commands, flags and words", () => {
    expect(suggest(["st"], program).words).toEqual(["start", "status"]);
    expect(suggest(["output", ""], program).words).toEqual(["set"]);
    expect(suggest(["status", "--d"], program).words).toEqual(["--data-dir"]);
    expect(suggest(["completion", "z"], program).words).toEqual(["zsh"]);
  });

  test("has help that fits the terminal", () => {
    const lines = helpText(["start"], program, 72).split("\n");
    const long = lines.filter(
      (line) => line.length > 72 && !/^ +[^ ]+$|^ {2}svc-agent /.test(line),
    );
    expect(long).toEqual([]);
    expect(helpText(["start"], program).split("\n").length).toBeLessThan(lines.length);
  });
});
