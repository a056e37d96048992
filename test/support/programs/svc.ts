import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { compileCache, svcProgram } from "./present-programs.ts";
import { svcInProcess } from "./svc-in-process.ts";

export type SvcOptions = {
  /** Besides PATH; nothing of the caller's own environment gets in. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Whether its standard input stays open after that; it needs a process of its own. */
  readonly isInputOpen?: boolean;
  /** For a process of its own: the built program unless told. */
  readonly main?: string;
};

export type SvcResult = {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
};

export type RunningSvc = {
  readonly kill: (signal: NodeJS.Signals) => boolean;
  /** Goes away as `head` does. */
  readonly stopReading: () => void;
  /** What it has said so far. */
  readonly said: { out: string; err: string };
  readonly ended: Promise<SvcResult>;
};

const nowhere = "/nonexistent/svc";

/** What starts programs, or ends by signals. */
const needProcess: ReadonlySet<string | undefined> = new Set(["broker", "dev"]);

/** Runs one command line to its end: in this process, unless it needs one of its own. */
export async function svc(args: readonly string[], options: SvcOptions = {}): Promise<SvcResult> {
  const { env, input = "", main } = options;
  // Node reads its CAs once.
  const isOwn =
    main !== undefined || needProcess.has(args[0]) || "NODE_EXTRA_CA_CERTS" in (env ?? {});
  if (isOwn) return await startSvc(args, options).ended;
  return await svcInProcess(args, { env: { ...ownEnv(), ...env }, input });
}

/** Starts one as a process of its own; it is killed when the test has finished. */
export function startSvc(args: readonly string[], options: SvcOptions = {}): RunningSvc {
  return start(process.execPath, [options.main ?? svcProgram, ...args], options);
}

/** Starts one in a terminal of its own, where everything it says is `out`. */
export function startSvcInTerminal(args: readonly string[], options: SvcOptions = {}): RunningSvc {
  const words = [process.execPath, svcProgram, ...args].map((word) => `'${word}'`).join(" ");
  return start("script", ["-qfec", words, "/dev/null"], options);
}

const ownEnv = () => ({
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: compileCache,
  XDG_CONFIG_HOME: nowhere,
  SVC_DATA_DIR: nowhere,
  SVC_WORK_NICE: "0", // beside other tests what it has done would have no turn
});

function start(
  program: string,
  args: readonly string[],
  { env, input, isInputOpen }: SvcOptions,
): RunningSvc {
  const child = spawn(program, args, {
    env: { ...ownEnv(), ...env },
    stdio: "pipe",
  });
  child.stdin.on("error", () => {}); // it may end without reading
  if (isInputOpen === true) child.stdin.write(input ?? "");
  else child.stdin.end(input ?? "");
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = { out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said.err += chunk.toString()));
  const out = text(child.stdout).catch(() => said.out); // it was read so far
  const ended = Promise.all([once(child, "exit"), out, text(child.stderr)]).then(
    ([[code], all, err]): SvcResult => ({ code: code as number | null, out: all, err }),
  );
  return {
    kill: (signal) => child.kill(signal),
    stopReading: () => void child.stdout.destroy(),
    said,
    ended,
  };
}
