import { describe, expect, test } from "vitest";
import { agentProgram } from "../../agent/commands/program.ts";
import { wholeProgram } from "../../cli/program.ts";
import { commandOutline, commandReference } from "../../cli/reference.ts";
import { helpText } from "../../shared/command-line/help-text.ts";
import { commandsOf, flagsOf, type Program } from "../../shared/command-line/program.ts";

const agent = agentProgram({});
const svc = await wholeProgram();

test("docs/cli.md is what svc's table of commands says", async () => {
  await expect(await commandReference()).toMatchFileSnapshot("../../docs/cli.md");
});

test("cli/outline.json names and summarises every command as its own module does", async () => {
  await expect(await commandOutline()).toMatchFileSnapshot("../../cli/outline.json");
});

describe.each([
  ["svc", svc as unknown as Program],
  ["svc-agent", agent as unknown as Program],
])("the table of commands of %s", (_, program: Program) => {
  const commands = commandsOf(program);

  test("is what --help says", () => {
    expect(helpText([], program)).toMatchSnapshot();
  });

  test("has filters for every list in pages, but for those that are under one thing", () => {
    const ofPages = ["limit", "cursor", "watch", "interval"];
    const lists = commands.filter(({ flags }) => "limit" in flags && "cursor" in flags);
    const bare = lists.filter(
      ({ args, flags }) =>
        Object.keys(args).length === 0 &&
        Object.keys(flags).every((name) => ofPages.includes(name)),
    );
    expect(bare.map(({ name }) => name)).toEqual([]);
  });

  test("names every command once", () => {
    const names = commands.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test("gives a flag's name one meaning for the parser, whatever the command, but for helm's own", () => {
    const kinds = new Map<string, string>();
    const others = commands.filter(({ name }) => !/^helm (?:upgrade|install)$/.test(name));
    const wrong = others.flatMap((command) =>
      Object.entries(flagsOf(program, command)).flatMap(([name, { value, short }]) => {
        const kind = `${value === undefined ? "switch" : "value"} ${short ?? ""}`;
        const known = kinds.get(name) ?? kind;
        kinds.set(name, known);
        return known === kind ? [] : [`${command.name} --${name}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test("takes no secret as a flag's value", () => {
    const flags = commands.flatMap((command) => Object.entries(flagsOf(program, command)));
    const secret = flags.filter(
      ([name, { value }]) => value !== undefined && /token$|secret|password/.test(name),
    );
    expect(secret).toEqual([]);
  });
});

test("every command of svc has an example, by its own name", () => {
  const bare = commandsOf(svc).filter(
    ({ name, examples, isHidden }) =>
      examples.every(({ run }) => !run.includes(`svc ${name}`) && name !== "dev") &&
      isHidden !== true,
  );
  expect(bare.map(({ name }) => name)).toEqual([]);
});

test.each(["job", "job create", "completion"])("help on svc %s", (words) => {
  expect(helpText(words.split(" "), svc)).toMatchSnapshot();
});

test.each(["output", "status"])("help on svc-agent %s", (words) => {
  expect(helpText(words.split(" "), agent)).toMatchSnapshot();
});

test("there is no help on nonsense", () => {
  expect(() => helpText(["nonsense"], svc)).toThrow("Unknown command: svc nonsense.");
});
