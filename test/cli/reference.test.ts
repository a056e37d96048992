import { describe, expect, test } from "vitest";
import type { FlagSpec } from "../../cli/command.ts";
import { commands } from "../../cli/commands.ts";
import { brokerFlags, everyFlags } from "../../cli/global-flags.ts";
import { helpText } from "../../cli/help-text.ts";
import { commandReference } from "../../cli/reference.ts";

const visible = commands.filter(({ isHidden }) => isHidden !== true);
const flagsOf = (each: { readonly flags: Readonly<Record<string, FlagSpec>> }) =>
  Object.entries<FlagSpec>({ ...everyFlags, ...brokerFlags, ...each.flags });

describe("the table of commands", () => {
  test("is what docs/cli.md says", async () => {
    await expect(commandReference(commands)).toMatchFileSnapshot("../../docs/cli.md");
  });

  test("is what svc --help says", () => {
    expect(helpText([], commands)).toMatchSnapshot();
  });

  test("names every command once", () => {
    const names = commands.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test("gives a flag's name one meaning for the parser, whatever the command", () => {
    const kinds = new Map<string, string>();
    const wrong = commands.flatMap((command) =>
      flagsOf(command).flatMap(([name, { value, short }]) => {
        const kind = `${value === undefined ? "switch" : "value"} ${short ?? ""}`;
        const known = kinds.get(name) ?? kind;
        kinds.set(name, known);
        return known === kind ? [] : [`${command.name} --${name}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test("has an example for every command, by its own name", () => {
    const bare = visible.filter(({ name, examples }) =>
      examples.every(({ run }) => !run.includes(`svc ${name}`) && name !== "dev"),
    );
    expect(bare.map(({ name }) => name)).toEqual([]);
  });

  test("takes no secret as a flag's value", () => {
    const flags = commands.flatMap(({ flags }) => Object.keys(flags));
    expect(flags.filter((name) => /token$|secret|password/.test(name))).toEqual([]);
  });
});

test.each(["job", "job create", "completion"])("help on %s", (words) => {
  expect(helpText(words.split(" "), commands)).toMatchSnapshot();
});

test("there is no help on nonsense", () => {
  expect(() => helpText(["nonsense"], commands)).toThrow("There is no command svc nonsense.");
});
