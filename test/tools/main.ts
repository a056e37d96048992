// `npm run tools`: brings the tools of the tests into one folder outside of the checkout.
import os from "node:os";
import { parseArgs } from "node:util";
import { getTools } from "./get-tools.ts";
import { programsOf, type Tool, toolTable } from "./tool-table.ts";
import { isThere, toolsFolder } from "./tools-folder.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", multiple: true },
    list: { type: "boolean", default: false },
    "keep-caches": { type: "boolean", default: false },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const names = [...(values.only ?? []), ...positionals];
const unknown = names.filter((name) => !toolTable.some((tool) => isNamed(tool, name)));
const chosen = toolTable.filter(
  (tool) => names.length === 0 || names.some((it) => isNamed(tool, it)),
);
if (unknown.length > 0) {
  const known = toolTable.map(({ name }) => name).join(", ");
  say(`There is no tool ${unknown.join(", ")}: they are ${known}.`);
  process.exitCode = 2;
} else if (values.list) {
  for (const tool of chosen) say(lineOf(tool));
} else {
  // Builds take both cores for minutes; whoever works here meanwhile goes first.
  os.setPriority(Math.max(10, os.getPriority()));
  say(`Tools of the tests, in ${toolsFolder()}:`);
  const failed = await getTools(chosen, { say, keepCaches: values["keep-caches"] });
  say(`${chosen.length - failed} of ${chosen.length} tools are there.`);
  if (failed > 0) process.exitCode = 1;
}

function isNamed(tool: Tool, name: string): boolean {
  return tool.name === name || programsOf(tool).includes(name);
}

function lineOf(tool: Tool): string {
  const programs = programsOf(tool).join(", ");
  const { name, version, source } = tool;
  return `${isThere(tool) ? "there  " : "missing"}  ${name} ${version} (${source.by}): ${programs}`;
}
