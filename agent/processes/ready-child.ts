import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import path from "node:path";
import { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { launchOf } from "../job-users/child-as-user.ts";
import { folderGone } from "./await-end.ts";
import { ChildError, ChildLost } from "./child-error.ts";
import { childFiles, removeChildFolder } from "./child-files.ts";
import type { Child, ChildManifest, ChildSpec } from "./child.ts";
import { type Asked, readManifest, readText } from "./find-child.ts";
import { findProgram } from "./find-program.ts";
import { findTools } from "./find-tools.ts";
import { holdChild } from "./hold-child.ts";
import { countOomKills } from "./oom-kills.ts";
import { bootId, type ProcessIdentity, readStat } from "./process-identity.ts";
import { boundOutput, supervisorScript } from "./supervisor.ts";
import { sweepMarked } from "./sweep-marked.ts";
import { type FolderWatch, watchFolder } from "./watch-folder.ts";

/** If a start takes longer than this, something is badly wrong with the host. */
const bornWithinMs = 30_000;
/** How long a supervisor has to exit when it is told not to begin. */
const goneWithinMs = 1_000;

/** A prestarted child: its supervisor waits for the command to begin, and exits if this process ends first. */
export type ReadyChild = {
  readonly spec: ChildSpec;
  /** Whether it can probably still begin. */
  readonly isWaiting: () => boolean;
  /**
   * Starts it and resolves when it runs; rejects with a `ChildError` or a `ChildLost`. Call either this or `drop`,
   * once.
   */
  readonly go: () => Promise<Child>;
  /** Discards it; nothing of it is left. */
  readonly drop: () => Promise<void>;
};

/**
 * Prestarts a child that outlives this process once it runs, in a session of its own. Throws a `ChildError` when it
 * cannot be started. An execution has one child for each step number.
 */
export async function readyChild(spec: ChildSpec): Promise<ReadyChild> {
  const tools = await findTools();
  await assertStartable(spec);
  const dir = makeFolder(spec);
  const watch = watchFolder(dir);
  const remove = async (): Promise<void> => {
    watch.close();
    await removeChildFolder(dir);
  };
  try {
    const waiting = await launch(spec, { dir, tools, watch });
    return {
      spec,
      // Hosts clean up folders that were not used for long.
      isWaiting: () => !waiting.isOver() && existsSync(dir),
      go: async () => {
        try {
          return holdChild(await begin(spec, { dir, watch, waiting }), { from: 0, watch });
        } catch (error) {
          waiting.gate?.destroy(); // without the command to begin there is nothing to wait for
          await remove();
          throw error;
        }
      },
      drop: async () => {
        waiting.gate?.destroy();
        await Promise.race([waiting.ended, sleep(goneWithinMs, undefined, { ref: false })]);
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function assertStartable({ argv, cwd, env }: ChildSpec): Promise<void> {
  const [name] = argv;
  if (name === undefined || name === "") throw new ChildError("The command is empty.");
  const texts = [...argv, cwd, ...Object.keys(env), ...Object.values(env)];
  if (texts.some((text) => text.includes("\0"))) {
    throw new ChildError("An argument or an environment variable contains a NUL character.");
  }
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new ChildError(`The working directory ${cwd} does not exist.`);
  }
  const search = env["PATH"] ?? "";
  if ((await findProgram(name, { cwd, search })) === undefined) {
    if (!name.includes("/")) {
      throw new ChildError(`The program ${name} was not found in PATH (${search}).`, 127);
    }
    const code = existsSync(path.resolve(cwd, name)) ? 126 : 127;
    throw new ChildError(`The program ${name} does not exist or is not executable.`, code);
  }
}

function makeFolder({ executionId, step, runDir }: ChildSpec): string {
  const dir = path.join(runDir, `${executionId}.${step}`);
  try {
    // A host may have removed the folder because it was empty for long.
    mkdirSync(runDir, { recursive: true, mode: 0o700 });
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    throw noFolder(error);
  }
  return dir;
}

type LaunchContext = {
  readonly dir: string;
  readonly tools: readonly string[];
  readonly watch: FolderWatch;
};

/** A supervisor that waits for the command to begin. */
type Waiting = {
  readonly carrier: ProcessIdentity | undefined;
  /** The pipe that it reads the command from; the kernel closes it when this process dies. */
  readonly gate: Duplex | undefined;
  readonly isOver: () => boolean;
  /** Resolves when it has exited, with the error if there was one. */
  readonly ended: Promise<unknown>;
};

async function launch(spec: ChildSpec, { dir, tools, watch }: LaunchContext): Promise<Waiting> {
  const { executionId, step } = spec;
  const [sh = "", ...others] = tools;
  const { bfree, bsize } = statfsSync(dir);
  const { readsPerSegment, aheadKilobytes } = boundOutput(bfree * bsize);
  const { argv, cwd, env, environment, close } = await launchOf(spec, dir);
  const asked = [dir, executionId, `${step}`, cwd, ...others];
  const bound = [`${readsPerSegment}`, `${aheadKilobytes}`, spec.cgroup ?? ""];
  let supervisor: ChildProcess;
  try {
    supervisor = spawn(sh, ["-c", supervisorScript, "svc-child", ...asked, ...bound, ...argv], {
      cwd: "/",
      env: { ...env },
      detached: true,
      stdio: [environment ?? "ignore", "ignore", "ignore", "pipe"],
    });
  } catch (error) {
    throw notStarted(codeOf(error));
  } finally {
    close();
  }
  let isOver = false;
  const { promise: ended, resolve } = Promise.withResolvers<unknown>();
  const over = (why?: unknown): void => {
    isOver = true;
    resolve(why);
    watch.fate.notify();
  };
  supervisor.once("error", over);
  supervisor.once("exit", () => over());
  // It outlives this process, so nothing here may keep the event loop alive for it; its folder is watched instead.
  supervisor.unref();
  const gate = gateOf(supervisor);
  try {
    const carrier = supervisor.pid === undefined ? undefined : readStat(supervisor.pid);
    return { carrier, gate, isOver: () => isOver, ended };
  } catch (error) {
    gate?.destroy();
    throw error;
  }
}

/** Undefined without free file descriptors; then `error` says so. */
function gateOf({ stdio }: Partial<Pick<ChildProcess, "stdio">>): Duplex | undefined {
  const gate = stdio?.[3];
  if (!(gate instanceof Duplex)) return undefined;
  gate.on("error", () => {}); // not read any more: the child's state is in its folder
  if (gate instanceof Socket) gate.unref();
  return gate;
}

type Beginning = Pick<LaunchContext, "dir" | "watch"> & { readonly waiting: Waiting };

async function begin(spec: ChildSpec, { dir, watch, waiting }: Beginning): Promise<ChildManifest> {
  const { carrier, gate, isOver, ended } = waiting;
  writeAsked(spec, dir);
  gate?.end("go\n", () => gate.destroy());
  const giveUpAtMs = performance.now() + bornWithinMs;
  for (;;) {
    const seen = watch.fate.count();
    const manifest = readManifest(dir, carrier);
    if (manifest !== undefined) return manifest;
    if (!existsSync(dir)) {
      // The child may have removed the folder itself before it was seen running. Until it has its marker, it
      // belongs to the session of its supervisor.
      await sweepMarked(spec.executionId, spec.step, carrier === undefined ? [] : [carrier]);
      throw new ChildLost(folderGone.words);
    }
    if (isOver() || performance.now() > giveUpAtMs) break;
    await watch.fate.after(seen, 1_000);
  }
  throw notStarted(isOver() ? reasonOf(await ended, dir) : "it took too long");
}

/** Written before the child is told to begin, so that no child exists without a manifest. */
function writeAsked({ executionId, step, stop, cwd, cgroup }: ChildSpec, dir: string): void {
  const asked: Asked = {
    executionId,
    step,
    stop,
    cwd,
    bootId: bootId(),
    startedAtMs: Date.now(),
    cgroup,
    oomKills: countOomKills(cgroup) ?? null,
  };
  try {
    writeFileSync(path.join(dir, childFiles.asked), JSON.stringify(asked), { mode: 0o600 });
  } catch (error) {
    throw noFolder(error);
  }
}

const noFolder = (error: unknown): ChildError =>
  new ChildError(`Cannot create the folder for the command's output: ${codeOf(error)}.`);

const notStarted = (why: string): ChildError =>
  new ChildError(`The command could not be started: ${why}.`);

function reasonOf(error: unknown, dir: string): string {
  const said = readText(path.join(dir, childFiles.said));
  return said.includes("cgroup.procs") ? "it could not enter its cgroup" : codeOf(error);
}

/** Only the error code: the whole message would contain the arguments. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return words[code] ?? (code === "" ? "its supervisor ended at once" : code);
}

const words: Readonly<Record<string, string>> = {
  E2BIG:
    "its arguments and environment variables are too large, or one of them is over 128 KiB (E2BIG)",
  EAGAIN: "the host's limit of processes is reached (EAGAIN)",
  ENOMEM: "the host has no memory left (ENOMEM)",
  EEXIST: "this step already has a command (EEXIST)",
  ENOSPC: "the run directory is full (ENOSPC)",
};
