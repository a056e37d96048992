import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import type { Environment } from "../config/environment.ts";
import type { BuildRequest } from "./build-request.ts";
import { buildScript, secretFiles, stepsScript } from "./build-script.ts";
import type { Namespaces } from "./open-namespaces.ts";
import { blockedRoutes } from "./open-network.ts";
import { freshProcScript, sandboxScript } from "./sandbox-script.ts";

/** What a builder runs with. */
export type BuilderMeans = {
  readonly buildah: string;
  readonly search: string;
  readonly env: Environment;
  /** Where it runs; the host itself without. */
  readonly namespaces?: Namespaces;
  readonly isConnected: boolean;
  /** Whether it begins with layers that are offered. */
  readonly hasLayers?: boolean;
};

/** How a builder is stopped, and who hears of its first process, and of the first step of a Dockerfile. */
export type BuilderHow = {
  readonly signal: AbortSignal;
  readonly began: (pid: number) => void;
  readonly atFirstStep: () => void;
};

export type BuilderEnd = {
  readonly code: number | null;
  /** What it said at last. */
  readonly complaint: string;
  /** How the ids begin of the images that its steps have become. */
  readonly steps: readonly string[];
};

/** Where a builder that fails has ended, by its exit code. */
export const builderCodes = { dockerfile: 71, images: 72, layout: 73 } as const;

const mostComplaint = 1_000;
const mostTail = 8 * 2 ** 10;

/** Runs the builder to its end; what it prints is printed. */
export async function runBuilder(
  request: BuildRequest,
  means: BuilderMeans,
  how: BuilderHow,
): Promise<BuilderEnd> {
  const work = {
    script: buildScript,
    options: optionsOf(request, means),
    secrets: request.secrets,
  };
  return await runScript(request, work, { ...how, means });
}

/** Has the steps of a build written as `readSteps` reads them. */
export async function writeSteps(
  request: BuildRequest,
  means: BuilderMeans,
  { steps, how }: { readonly steps: readonly string[]; readonly how: BuilderHow },
): Promise<BuilderEnd> {
  const work = { script: stepsScript, options: steps, secrets: {} };
  return await runScript(request, work, { ...how, means: { ...means, isConnected: false } });
}

type Work = {
  readonly script: string;
  readonly options: readonly string[];
  readonly secrets: BuildRequest["secrets"];
};
type How = BuilderHow & { readonly means: BuilderMeans };

async function runScript(
  request: BuildRequest,
  work: Work,
  { means, signal, began, atFirstStep }: How,
): Promise<BuilderEnd> {
  const { search, env, namespaces, isConnected } = means;
  const [program = "prlimit", ...args] = commandOf(request, means, work);
  const child = spawn(program, args, {
    cwd: request.folder,
    env: {
      PATH: search,
      LC_ALL: "C",
      SVC_BLOCKED: isConnected ? blockedRoutes().join(" ") : "",
      SVC_LAYERS: means.hasLayers === true ? "1" : "",
      SVC_ONE_ID: namespaces?.hasManyIds === false ? "1" : "",
      ...marksIn(env),
    },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    // What is kept apart ends with its first process; the rest has to be reached as a group.
    detached: namespaces === undefined,
  });
  const stop = (): void => {
    if (namespaces === undefined && child.pid !== undefined) killGroup(child.pid);
    else child.kill("SIGKILL");
  };
  if (child.pid !== undefined) began(child.pid);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  const { tail, steps } = print(child, atFirstStep);
  hand(child, work.secrets);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return { code, complaint: complaintIn(tail()), steps: steps() };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Secrets go by a pipe, so that no disk, no argument and no environment of another program has them. */
function hand({ stdio }: ChildProcess, secrets: BuildRequest["secrets"]): void {
  const pipe = stdio[3] as Writable; // it is a pipe, as said above
  pipe.on("error", () => {}); // it has ended
  const values = Object.values(secrets).map((value) => Buffer.from(value).toString("base64"));
  pipe.end(values.map((value) => `${value}\n`).join(""));
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

function optionsOf(
  { target, buildArgs, secrets }: BuildRequest,
  { namespaces }: BuilderMeans,
): string[] {
  const names = Object.keys(buildArgs).toSorted();
  return [
    ...(target === "" ? [] : ["--target", target]),
    ...names.flatMap((name) => ["--build-arg", `${name}=${buildArgs[name] ?? ""}`]),
    ...Object.keys(secrets).flatMap((id, at) => [
      "--secret",
      namespaces === undefined
        ? `id=${id},type=env,env=SVC_SECRET_${at}`
        : `id=${id},type=file,src=${secretFiles}/${at}`,
    ]),
  ];
}

function commandOf(
  { folder, mostBytes, mostProcesses }: BuildRequest,
  { buildah, namespaces }: BuilderMeans,
  { script, options }: Work,
): string[] {
  const bounds = [`--nproc=${mostProcesses}`, `--fsize=${mostBytes}`, "--core=0"];
  const limited = ["prlimit", ...bounds, "--"];
  const build = [script, "svc-build"];
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

const mostSteps = 300;
const step = /(?:^|\n)--> (?:Using cache )?([0-9a-f]{11,64})(?=\n)/g;

/** Prints what a child prints, and answers what of it was last, and which steps it has told of. */
function print({ stdout, stderr }: ChildProcess, atFirstStep: () => void) {
  let tail = "";
  let hasBegun = false;
  const steps = new Set<string>();
  for (const stream of [stdout, stderr]) {
    let rest = "";
    stream?.on("data", (piece: Buffer) => {
      const text = piece.toString("utf8");
      tail = (tail + text).slice(-mostTail);
      rest = (rest + text).slice(-mostTail);
      if (!hasBegun && /(?:^|\n)(?:\[\d+\/\d+\] )?STEP /.test(rest)) {
        hasBegun = true;
        atFirstStep();
      }
      for (const [, id = ""] of rest.matchAll(step)) if (steps.size < mostSteps) steps.add(id);
      rest = rest.slice(Math.max(0, rest.lastIndexOf("\n")));
    });
    stream?.pipe(process.stdout, { end: false });
  }
  return { tail: () => tail, steps: () => [...steps] };
}

function complaintIn(tail: string): string {
  const lines = tail.split("\n").filter((line) => /^\S/.test(line));
  const said =
    lines.findLast((line) => /^error: /i.test(line)) ?? lines.at(-1) ?? "it said nothing";
  return said.replace(/^error: /i, "").slice(0, mostComplaint);
}
