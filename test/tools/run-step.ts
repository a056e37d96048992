import { execFile } from "node:child_process";
import { findOnPath } from "./find-on-path.ts";

type Step = {
  readonly program: string;
  /** What a person does where the program is missing. */
  readonly advice: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
};

/** Runs one program to its end and gives what it printed; where it fails, an error of one line says why. */
export async function runStep({ program, advice, args, cwd, env }: Step): Promise<string> {
  if (findOnPath(program) === undefined) {
    throw new Error(`${program} is not on the PATH: ${advice}.`);
  }
  return await new Promise((resolve, reject) => {
    const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
    execFile(program, args, options, (error, out, err) => {
      if (error === null) resolve(out);
      else reject(new Error(`${program} ${args[0]} failed: ${lastLines(err || out)}`));
    });
  });
}

function lastLines(text: string): string {
  return text.trim().split("\n").slice(-3).join(" | ");
}
