import { AsyncLocalStorage } from "node:async_hooks";
import { Readable, Writable } from "node:stream";
import { programFor } from "../../../cli/program.ts";
import { runProgram } from "../../../shared/command-line/run-program.ts";
import { afterFile } from "../run/after-file.ts";

/** What a process is to the command line that runs in it. */
type Surroundings = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly exit: (code?: number) => never;
};

export type Outcome = { readonly code: number; readonly out: string; readonly err: string };

/**
 * Runs one command line in this process, to its end: its streams are pipes, its environment its own. Any number of them run at
 * once, so each finds its own surroundings by where it was called from.
 */
export async function svcInProcess(
  argv: readonly string[],
  given: { readonly env: Surroundings["env"]; readonly input: string },
): Promise<Outcome> {
  redirectProcess();
  const [out, err] = [collector(), collector()];
  const code = await new Promise<number>((resolve, reject) => {
    const exit = (early = 0): never => {
      resolve(early);
      throw new Error("The command line has ended.");
    };
    const { env, input } = given;
    const stdin = Readable.from(input === "" ? [] : [Buffer.from(input)]);
    const own = { env, stdin, stdout: out.stream, stderr: err.stream, exit };
    const run = async () => await runProgram(argv, await programFor(argv));
    surroundings.run(own, run).then(resolve, reject);
  });
  return { code, out: out.text(), err: err.text() };
}

const surroundings = new AsyncLocalStorage<Surroundings>();
let isRedirected = false;

/** Until the end of the file, for what runs in surroundings of its own; for all else the process is as it was. */
function redirectProcess(): void {
  if (isRedirected) return;
  isRedirected = true;
  const names = ["env", "stdin", "stdout", "stderr", "exit"] as const;
  const before = names.map((name) => Object.getOwnPropertyDescriptor(process, name) ?? {});
  for (const [at, name] of names.entries()) {
    const usual = (): unknown => before[at]?.get?.call(process) ?? before[at]?.value;
    const get = (): unknown => surroundings.getStore()?.[name] ?? usual();
    Object.defineProperty(process, name, { configurable: true, enumerable: true, get });
  }
  afterFile(async () => {
    for (const [at, name] of names.entries()) {
      Object.defineProperty(process, name, before[at] ?? {});
    }
    isRedirected = false;
    await Promise.resolve();
  });
}

function collector() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}
