import { describe, expect, test } from "vitest";
import { agentCommands } from "../../agent/commands/table.ts";
import { settingNames, settingOf, variableOf } from "../../agent/config/settings.ts";
import { exitCodes } from "../../agent/shutdown/exit-codes.ts";
import { agentMetrics } from "../../agent/status/metrics-text.ts";
import { readRootFile } from "../support/run/source-files.ts";

const page = await readRootFile("docs/agent.md");

/** The rows of the table that has this head. */
function rowsUnder(head: string): string[] {
  const [, after = ""] = page.split(`${head}\n`);
  const [table = ""] = after.split("\n\n");
  return table.split("\n").slice(1);
}

describe("docs/agent.md", () => {
  test("has every command", () => {
    const rows = agentCommands.map(({ name, words, summary }) => {
      const typed = [name, words].filter((word) => word !== undefined).join(" ");
      return `| svc-agent ${typed} | ${summary} |`;
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
    const rows = Object.values(exitCodes).map(({ code, doc }) => `| ${code} | ${doc} |`);
    expect(rowsUnder("| exit code | what it says |")).toEqual(rows);
  });

  test("has every metric", () => {
    const rows = agentMetrics.map(({ name, type, help }) => `| ${name} | ${type} | ${help} |`);
    expect(rowsUnder("| metric | type | what it is |")).toEqual(rows);
  });
});
