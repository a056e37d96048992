import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished, vi } from "vitest";
import { tool } from "../../tools/find-tool.ts";
import { afterFile } from "../run/after-file.ts";
import { waitLimitMs } from "../run/hang-limits.ts";

type Given = {
  /** Where it answers something, whatever it is, when it is ready. */
  readonly answersAt: string;
  readonly env?: Readonly<Record<string, string>>;
  /** It is for all tests of the file. */
  readonly isOfFile?: boolean;
};

/** Starts a server of test/tools for one test or file, and ends it after that; fails with what it said if it does not start. */
export async function startTool(
  program: string,
  args: readonly string[],
  { answersAt, env, isOfFile = false }: Given,
): Promise<void> {
  const { PATH = "", HOME = "/" } = process.env;
  const child = spawn(tool(program), args, {
    // A group of its own: a program that a script runs ends with it.
    detached: true,
    env: { PATH, HOME, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-4000)));
  const ended = once(child, "exit");
  (isOfFile ? afterFile : onTestFinished)(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    await ended;
  });
  const answered = vi.waitUntil(
    async () =>
      await fetch(answersAt).then(
        () => true,
        () => false,
      ),
    { timeout: waitLimitMs, interval: 50 },
  );
  const died = ended.then(() => {
    throw new Error(`${program} ended: ${said}`);
  });
  // Whichever comes second is nobody's business.
  died.catch(() => undefined);
  answered.catch(() => undefined);
  await Promise.race([answered, died]);
}
