import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** More than so many did not fail by chance. */
const mostFiles = 20;
/** Of each, by itself. */
const mostTries = 2;
const root = path.join(import.meta.dirname, "..");
const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs");

process.exitCode = runAgain();

/**
 * Runs each test file that the last run named as failed once more, by itself: what only failed because the machine was
 * busy passes then and is printed as FLAKY. What fails by itself, too, has failed.
 */
function runAgain(): number {
  const list = process.env["SVC_FAILED_FILES"] ?? "";
  if (!existsSync(list)) return refuse("No test run ended, so there is nothing to run again.");
  const files = [...new Set(readFileSync(list, "utf8").split("\n").filter(Boolean))];
  if (files.length === 0) return refuse("No test file failed: what failed is printed above.");
  if (files.length > mostFiles) {
    return refuse(`${files.length} test files failed; up to ${mostFiles} are run again.`);
  }
  process.stdout.write(`Running again, each by itself: ${files.join(" ")}\n`);
  const outcomes = files.map((file) => ({ file, passed: passesAlone(file) }));
  for (const { file, passed } of outcomes) {
    process.stdout.write(`${passed ? "FLAKY " : "FAILED"} ${file}\n`);
  }
  return outcomes.every(({ passed }) => passed) ? 0 : 1;
}

function passesAlone(file: string): boolean {
  const env = { ...process.env };
  delete env["SVC_FAILED_FILES"];
  for (let tries = 0; tries < mostTries; tries += 1) {
    const args = [vitest, "run", file];
    if (spawnSync(process.execPath, args, { cwd: root, env, stdio: "inherit" }).status === 0) {
      return true;
    }
  }
  return false;
}

function refuse(why: string): number {
  process.stderr.write(`${why}\n`);
  return 1;
}
