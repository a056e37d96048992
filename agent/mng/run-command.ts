import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Environment } from "../config/environment.ts";

const run = promisify(execFile);

type Running = {
  readonly env: Environment;
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
};

/** What is known of a command that failed. */
type Failed = {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly killed?: boolean;
  /** Its exit code, or the system's word for why there is none. */
  readonly code?: string | number | null;
  readonly signal?: string | null;
};

/** A command of this host failed. The message is what it complained of, without its arguments: they may hold secrets. */
export class CommandFault extends Error {
  override readonly name = "CommandFault";
  readonly stdout: string;
  readonly stderr: string;
  readonly code: string | number | undefined;

  constructor(program: string, { stdout = "", stderr = "", killed, code, signal }: Failed) {
    const lines = stderr.split("\n").map((line) => line.trim());
    const complaint = lines.find((line) => line !== "" && !line.startsWith("WARNING"));
    const end = killed === true ? "it did not end in time" : `it ended with ${code ?? signal}`;
    super(`${program}: ${complaint ?? end}`);
    [this.stdout, this.stderr, this.code] = [stdout, stderr, code ?? undefined];
  }

  /** Whether the program itself is at fault, and not a want of time, memory or processes. */
  get isOfProgram(): boolean {
    return (
      typeof this.code === "number" || /^(?:EACCES|ENOENT|ENOEXEC|EPERM)$/.test(this.code ?? "")
    );
  }
}

/** Runs a command of this host and returns what it printed. Throws CommandFault. */
export async function runCommand(
  program: string,
  args: readonly string[],
  { env, timeout, signal }: Running,
): Promise<string> {
  const options = { env: { ...env }, timeout, ...(signal !== undefined && { signal }) };
  try {
    return (await run(program, args, options)).stdout;
  } catch (error) {
    throw new CommandFault(program, error as Failed);
  }
}
