import { execFileSync } from "node:child_process";
import path from "node:path";
import { createVitest, type TestSpecification } from "vitest/node";

/** Their tests need no more than a database. */
const always = ["unit", "sql"];
const root = path.join(import.meta.dirname, "..");

await runQuickly();

/** Runs the tests of the quick projects, and besides those files of tests that were changed. */
async function runQuickly(): Promise<void> {
  const changed = new Set(changedFiles());
  const isWanted = ({ project, moduleId }: TestSpecification) =>
    always.includes(project.name) || changed.has(path.relative(root, moduleId));
  const vitest = await createVitest({ root, watch: false });
  await vitest.standalone();
  const found = await vitest.globTestSpecifications();
  await vitest.runTestSpecifications(found.filter(isWanted));
  await vitest.close();
}

/** By commits that main lacks, or not committed yet. */
function changedFiles(): string[] {
  const base = git("merge-base", "HEAD", "main")[0] ?? "HEAD";
  return [
    ...git("diff", "--name-only", base),
    ...git("ls-files", "--others", "--exclude-standard"),
  ];
}

/** The lines that git says; none where it refuses, as in a checkout without main. */
function git(...args: string[]): string[] {
  try {
    const said = execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: "pipe" });
    return said.split("\n").filter(Boolean);
  } catch {
    return [];
  }
}
