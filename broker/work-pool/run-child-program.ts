import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { compileFunction } from "node:vm";

/** The argument by which a single executable begins as a child process of a broker, and not as what it is. */
export const childWord = "work-child";

const names = ["module", "exports", "require", "__filename"];

/** Runs the program that standard input has: a single executable is no Node that could be given a file. */
export function runChildProgram(): void {
  const module = { exports: {} };
  const require = createRequire(process.execPath);
  const run = compileFunction(readFileSync(0, "utf8"), names) as (...given: unknown[]) => void; // a script
  run(module, module.exports, require, process.execPath);
}
