import { randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { Child, ChildOutput, ChildSpec } from "../../../agent/processes/child.ts";
import { openRunDir } from "../../../agent/processes/open-run-dir.ts";
import { startChild } from "../../../agent/processes/start-child.ts";
import { sweepMarked } from "../../../agent/processes/sweep-marked.ts";
import { testFolder, patiently } from "../run/folder.ts";

/** Where children of one test run; whatever of them is left is ended after it. */
export type ChildPlace = {
  readonly executionId: string;
  readonly runDir: string;
  readonly cwd: string;
  /** Starts a child in bash; its fields may be overridden. */
  readonly bash: (script: string, asked?: Partial<ChildSpec>) => Promise<Child>;
  readonly start: (argv: readonly string[], asked?: Partial<ChildSpec>) => Promise<Child>;
  readonly specOf: (argv: readonly string[], asked?: Partial<ChildSpec>) => ChildSpec;
};

/** A run directory in memory and a working directory, both empty. */
export async function givenChildren(): Promise<ChildPlace> {
  const cwd = await testFolder(0o700);
  const { path: runDir } = await openRunDir({ dataDir: cwd });
  const executionId = `exe_${randomBytes(8).toString("hex")}`;
  const started: Child[] = [];
  const specOf: ChildPlace["specOf"] = (argv, asked = {}) => ({
    executionId,
    step: 1,
    argv,
    cwd,
    env: { PATH: process.env["PATH"] ?? "" },
    runDir,
    stop: { signal: "SIGTERM", to: "group", graceMs: 10_000 },
    ...asked,
  });
  const start: ChildPlace["start"] = async (argv, asked) => {
    const child = await startChild(specOf(argv, asked));
    started.push(child);
    return child;
  };
  onTestFinished(async () => {
    await sweepMarked(executionId);
    for (const child of started) await child.remove();
    await rm(runDir, { ...patiently, force: true });
  });
  const bash: ChildPlace["bash"] = async (script, asked) =>
    await start(["bash", "-c", script], asked);
  return { executionId, runDir, cwd, bash, start, specOf };
}

/** All that it prints, as text, released as it is read. */
export async function readAll(output: ChildOutput): Promise<string> {
  const chunks: Buffer[] = [];
  let position: number | undefined;
  for await (const { bytes, offset } of output) {
    if (position !== undefined && position !== offset) {
      throw new Error(`a chunk begins at ${offset} instead of ${position}`);
    }
    position = offset + bytes.length;
    chunks.push(bytes);
    output.release(position);
  }
  return Buffer.concat(chunks).toString("latin1");
}

/** How many bytes of a child's output lie in its folder: its reader has not released them. */
export function unreadBytes({ manifest: { dir } }: Pick<Child, "manifest">): number {
  const segments = readdirSync(dir).filter((name) => /^\d+$/.test(name));
  return segments.reduce((sum, name) => sum + statSync(path.join(dir, name)).size, 0);
}
