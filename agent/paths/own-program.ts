import { chmod, mkdir, realpath } from "node:fs/promises";
import path from "node:path";
import { isSea } from "node:sea";
import type { AgentConfig } from "../config/read-config.ts";
import { writeAtomically } from "../files/atomic-file.ts";

/** Puts this program on the PATH of jobs as `svc-agent`: scripts use it to set outputs and to add secrets. */
export async function withOwnProgram(config: AgentConfig): Promise<AgentConfig> {
  const folder = path.join(config.dataDir, "bin");
  const mode = config.jobUser === undefined ? 0o700 : 0o755;
  await mkdir(folder, { recursive: true, mode });
  await chmod(folder, mode);
  const file = path.join(folder, "svc-agent");
  const words = (await ownProgram()).map(quoted).join(" ");
  // A job that survives a restart of the agent may be starting it right now.
  await writeAtomically(file, { text: `#!/bin/sh\nexec ${words} "$@"\n`, mode });
  await chmod(file, mode);
  const before = config.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin";
  return { ...config, env: { ...config.env, PATH: `${folder}:${before}` } };
}

/** The command that starts this program again. */
export async function ownProgram(): Promise<string[]> {
  if (isSea()) return [process.execPath];
  const source = path.join(import.meta.dirname, "..", "main.ts");
  const isSource = import.meta.filename.endsWith(".ts");
  return [process.execPath, isSource ? source : await realpath(process.argv[1] ?? "")];
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
