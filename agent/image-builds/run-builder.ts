import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Environment } from "../config/environment.ts";
import type { BuildRequest } from "./build-request.ts";
import type { Namespaces } from "./open-namespaces.ts";
import { blockedRoutes } from "./open-network.ts";
import { buildScript, freshProcScript, sandboxScript } from "./sandbox-script.ts";

/** What a builder runs with. */
export type BuilderMeans = {
  readonly buildah: string;
  readonly search: string;
  readonly env: Environment;
  /** Where it runs; the host itself without. */
  readonly namespaces?: Namespaces;
  readonly isConnected: boolean;
};

export type BuilderEnd = {
  readonly code: number | null;
  /** What it said at last. */
  readonly complaint: string;
};

/** Where a builder that fails has ended, by its exit code. */
export const builderCodes = { dockerfile: 71, images: 72, layout: 73 } as const;

const mostComplaint = 1_000;
const mostTail = 8 * 2 ** 10;

/** Runs the builder to its end; what it prints is printed. */
export async function runBuilder(
  request: BuildRequest,
  means: BuilderMeans,
  signal: AbortSignal,
): Promise<BuilderEnd> {
  const { search, env, namespaces, isConnected } = means;
  const [program = "prlimit", ...args] = commandOf(request, means);
  const child = spawn(program, args, {
    cwd: request.folder,
    env: {
      PATH: search,
      LC_ALL: "C",
      SVC_BLOCKED: isConnected ? blockedRoutes().join(" ") : "",
      SVC_ONE_ID: namespaces?.hasManyIds === false ? "1" : "",
      ...marksIn(env),
    },
    stdio: ["ignore", "pipe", "pipe"],
    // What is kept apart ends with its first process; the rest has to be reached as a group.
    detached: namespaces === undefined,
  });
  const stop = (): void => {
    if (namespaces === undefined && child.pid !== undefined) killGroup(child.pid);
    else child.kill("SIGKILL");
  };
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  const tail = print(child);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return { code, complaint: complaintIn(tail()) };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // it has ended
  }
}

/** By these the agent finds what is left of a job. */
function marksIn(env: Environment): Record<string, string> {
  const names = ["SVC_AGENT_EXECUTION", "SVC_AGENT_STEP"];
  return Object.fromEntries(names.map((name) => [name, env[name] ?? ""]));
}

function commandOf(request: BuildRequest, { buildah, namespaces }: BuilderMeans): string[] {
  const { folder, mostBytes, mostProcesses, target, buildArgs } = request;
  const bounds = [`--nproc=${mostProcesses}`, `--fsize=${mostBytes}`, "--core=0"];
  const names = Object.keys(buildArgs).toSorted();
  const options = [
    ...(target === "" ? [] : ["--target", target]),
    ...names.flatMap((name) => ["--build-arg", `${name}=${buildArgs[name] ?? ""}`]),
  ];
  const limited = ["prlimit", ...bounds, "--"];
  const build = [buildScript, "svc-build"];
  if (namespaces === undefined)
    return [...limited, "sh", "-c", ...build, folder, buildah, ...options];
  const apart = ["--pid", "--ipc", "--uts", "--cgroup", "--fork", "--kill-child"];
  return [
    ...limited,
    "sh",
    "-c",
    freshProcScript,
    "svc-proc",
    ...namespaces.enter,
    "unshare",
    "--mount",
    "--propagation",
    "private",
    ...apart,
    "--",
    "sh",
    "-c",
    sandboxScript,
    "svc-sandbox",
    ...build,
    "/build",
    buildah,
    ...options,
  ];
}

/** Prints what a child prints, and answers what of it was last. */
function print({ stdout, stderr }: ChildProcess): () => string {
  let tail = "";
  for (const stream of [stdout, stderr]) {
    stream?.on("data", (piece: Buffer) => {
      tail = (tail + piece.toString("utf8")).slice(-mostTail);
    });
    stream?.pipe(process.stdout, { end: false });
  }
  return () => tail;
}

function complaintIn(tail: string): string {
  const lines = tail.split("\n").filter((line) => /^\S/.test(line));
  const said =
    lines.findLast((line) => /^error: /i.test(line)) ?? lines.at(-1) ?? "it said nothing";
  return said.replace(/^error: /i, "").slice(0, mostComplaint);
}
