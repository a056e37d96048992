import { readdir } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { agentProgram } from "../agent/commands/program.ts";
import { wholeProgram } from "../cli/program.ts";
import { listCommands } from "../shared/command-line/find-command.ts";
import { parseLine } from "../shared/command-line/parse-line.ts";
import type { Program } from "../shared/command-line/program.ts";
import { UsageError } from "../shared/command-line/usage-error.ts";
import { readRootFile } from "./support/run/source-files.ts";

const programs: Readonly<Record<string, Program>> = {
  svc: await wholeProgram(),
  "svc-agent": agentProgram({}),
};

type Shown = { readonly page: string; readonly line: string };

/** The pages that people read; docs/cli.md and docs/agent-cli.md are made from the tables of commands. */
async function listPages(): Promise<string[]> {
  const docs = (await readdir("docs")).filter((name) => /^(?!cli|agent-cli).*\.md$/.test(name));
  return ["README.md", "CONTRIBUTING.md", ...docs.map((name) => path.join("docs", name))];
}

/** What stands where a command does: at the begin of a line, after an operator, a variable or a substitution. */
const commands = /(?:^|[|;&(`'] ?|\$ |until |\w=\S+ )(?:\.\/)?(svc(?:-agent)? (?!\d)[^\n]*)/gm;

/** Every command in a block, and every one named in a sentence. */
async function shownBy(page: string): Promise<{ blocks: Shown[]; sentences: Shown[] }> {
  const text = (await readRootFile(page)).replaceAll("\\\n", "");
  const fenced = [...text.matchAll(/^```(?:sh|console)\n([^]*?)^```/gm)];
  const named = [...text.replaceAll(/^```[^]*?^```/gm, "").matchAll(/`([^`\n]+)`/g)];
  const linesOf = (found: readonly RegExpExecArray[]): Shown[] =>
    found.flatMap(([, code = ""]) =>
      [...code.matchAll(commands)].map(([, line = ""]) => ({ page, line })),
    );
  return { blocks: linesOf(fenced), sentences: linesOf(named) };
}

/** The command's own words, without what the shell does with it. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  const word = /\s*(?:(#|[|;&)<>]|\d?>)|((?:\$\([^)]*\)|"[^"]*"|'[^']*'|[^\s|;&()<>'"])+))/gy;
  for (const [, end, one = ""] of line.matchAll(word)) {
    if (end !== undefined || one.startsWith("#")) break;
    words.push(one.replaceAll(/^["']|["']$/g, ""));
  }
  return words;
}

/** What is wrong with a command line, in the words of its program. */
function faultOf({ line }: Shown): string | undefined {
  const [name = "", ...words] = wordsOf(line);
  const program = programs[name];
  if (program === undefined) return `there is no ${name}`;
  try {
    parseLine(words, program);
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

/** Whether it names several commands at once: `svc app component`. */
function isNoun(line: string): boolean {
  const [name = "", ...words] = line.split(" ");
  const program = programs[name];
  return program !== undefined && listCommands(words, program).length > 0;
}

const shown = await Promise.all((await listPages()).map(shownBy));

test("every command in a block of the docs can be typed", () => {
  const blocks = shown.flatMap((one) => one.blocks);
  expect(blocks.length).toBeGreaterThan(60);
  const wrong = blocks.flatMap((one) => {
    const fault = faultOf(one);
    return fault === undefined ? [] : [`${one.page}: ${one.line}: ${fault}`];
  });
  expect(wrong).toEqual([]);
});

test("every command that a sentence of the docs names is there, with its flags", () => {
  const sentences = shown.flatMap((one) => one.sentences);
  expect(sentences.length).toBeGreaterThan(60);
  const isBrief = /is required|needs a subcommand|needs a value/; // a name is enough in a sentence
  const wrong = sentences.flatMap(({ page, line }) => {
    const fault = faultOf({ page, line: line.replaceAll(/[[\]]/g, "") }); // what may be left out
    const isTold = fault === undefined || isBrief.test(fault) || isNoun(line);
    return isTold ? [] : [`${page}: ${line}: ${fault}`];
  });
  expect(wrong).toEqual([]);
});
