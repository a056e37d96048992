import path from "node:path";
import { findOnPath, isProgram } from "./find-on-path.ts";
import { programsOf, type Tool, toolTable } from "./tool-table.ts";
import { folderOf } from "./tools-folder.ts";

/** The path of a program that the tests use, e.g. `helm`; undefined where `npm run tools` has not run. */
export function findTool(program: string): string | undefined {
  const tool = toolOf(program);
  if (tool.source.by === "path" || tool.source.by === "debian") return findOnPath(program);
  const file = path.join(folderOf(tool), program);
  return isProgram(file) ? file : undefined;
}

/** The path of a program that must be there: what `describeWithTools` named. */
export function tool(program: string): string {
  const found = findTool(program);
  if (found === undefined) throw new Error(`${program} is not there: ${adviceFor(program)}`);
  return found;
}

/** What a person does to get a program that is missing. */
export function adviceFor(program: string): string {
  const { name, source } = toolOf(program);
  return source.by === "path" ? source.advice : `npm run tools -- --only ${name}`;
}

function toolOf(program: string): Tool {
  const found = toolTable.find((tool) => programsOf(tool).includes(program));
  if (found === undefined) {
    const known = toolTable.flatMap(programsOf).join(", ");
    throw new Error(`No tool of test/tools/tool-table.ts yields ${program}; they yield ${known}.`);
  }
  return found;
}
