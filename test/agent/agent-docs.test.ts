import { describe, expect, test } from "vitest";
import { agentProgram } from "../../agent/commands/program.ts";
import { settingNames, settingOf, variableOf } from "../../agent/config/settings.ts";
import { exitCodes } from "../../agent/shutdown/exit-codes.ts";
import { agentMetrics } from "../../agent/status/metrics-text.ts";
import { listCommands } from "../../shared/command-line/find-command.ts";
import { usageLine } from "../../shared/command-line/help-text.ts";
import { helpFlag } from "../../shared/command-line/program.ts";
import { flagTable, reference } from "../../shared/command-line/reference.ts";
import { readRootFile } from "../support/run/source-files.ts";

const program = agentProgram({});
const page = await readRootFile("docs/agent.md");

/** The rows of the table that has this head. */
function rowsUnder(head: string): string[] {
  const [, after = ""] = page.split(`${head}\n`);
  const [table = ""] = after.split("\n\n");
  return table.split("\n").slice(1);
}

test("docs/agent-cli.md is what the table of commands says", async () => {
  const page = reference(program, {
    head: [
      "# The svc-agent command line",
      "Generated from agent/commands/commands.ts by `npx vitest run test/agent/agent-docs.test.ts -u`.",
      "How to install and run the agent: [agent.md](agent.md).",
    ],
    common: [flagTable(helpFlag)],
  });
  await expect(page).toMatchFileSnapshot("../../docs/agent-cli.md");
});

describe("docs/agent.md", () => {
  test("has every command", () => {
    const rows = listCommands([], program).map((command) => {
      const typed = usageLine(program, command).replace(" [flags]", "");
      return `| ${typed} | ${command.summary} |`;
    });
    expect(rowsUnder("| command | does |")).toEqual(rows);
  });

  test("has every setting, its default and what it is", () => {
    const rows = settingNames.map((name) => {
      const { byDefault = "–", doc, isSecret } = settingOf(name);
      return `| ${isSecret === true ? variableOf(name) : name} | ${byDefault} | ${doc} |`;
    });
    expect(rowsUnder("| setting | default | what it is |")).toEqual(rows);
  });

  test("has every exit code", () => {
    const rows = Object.values(exitCodes).map(({ code, means }) => `| ${code} | ${means} |`);
    expect(rowsUnder("| exit code | what it says |")).toEqual(rows);
  });

  test("has every metric", () => {
    const rows = agentMetrics.map(({ name, type, help }) => `| ${name} | ${type} | ${help} |`);
    expect(rowsUnder("| metric | type | what it is |")).toEqual(rows);
  });
});
