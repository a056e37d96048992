import { existsSync, mkdirSync, statfsSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { launchOf } from "../job-users/child-as-user.ts";
import { ChildError } from "./child-error.ts";
import { childFiles } from "./child-files.ts";
import type { Child, ChildManifest, ChildSpec } from "./child.ts";
import { type Asked, readManifest, readText } from "./find-child.ts";
import { findProgram } from "./find-program.ts";
import { findTools } from "./find-tools.ts";
import { holdChild } from "./hold-child.ts";
import { countOomKills } from "./oom-kills.ts";
import { bootId, readStat } from "./process-identity.ts";
import { removeChildFolder } from "./remove-child-folder.ts";
import { boundOutput, supervisorScript } from "./supervisor.ts";
import { type FolderWatch, watchFolder } from "./watch-folder.ts";

/** As much as the kernel gives a process to be born in; then something is badly wrong. */
const bornWithinMs = 30_000;

/**
 * Starts a child that outlives this process, in a session of its own, and resolves when it runs. What cannot be
 * started is refused with a `ChildError`. One execution has one child a step.
 */
export async function startChild(spec: ChildSpec): Promise<Child> {
  const tools = await findTools();
  await assertStartable(spec);
  const dir = makeFolder(spec);
  const watch = watchFolder(dir);
  try {
    return holdChild(await launch(spec, { dir, tools, watch }), { from: 0, watch });
  } catch (error) {
    watch.close();
    await removeChildFolder(dir);
    throw error;
  }
}

async function assertStartable({ argv, cwd, env }: ChildSpec): Promise<void> {
  const [name] = argv;
  if (name === undefined || name === "") throw new ChildError("There is no command to run.");
  const texts = [...argv, cwd, ...Object.keys(env), ...Object.values(env)];
  if (texts.some((text) => text.includes("\0"))) {
    throw new ChildError(
      "An argument or a variable holds a NUL character, which no program can be given.",
    );
  }
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new ChildError(`The working directory ${cwd} is not there.`);
  }
  const search = env["PATH"] ?? "";
  if ((await findProgram(name, { cwd, search })) === undefined) {
    if (!name.includes("/")) {
      throw new ChildError(`There is no program called ${name} in PATH (${search}).`, 127);
    }
    const code = existsSync(path.resolve(cwd, name)) ? 126 : 127;
    throw new ChildError(`There is no program at ${name}, or it may not be executed.`, code);
  }
}

function makeFolder({ executionId, step, runDir, stop, cwd, cgroup }: ChildSpec): string {
  const dir = path.join(runDir, `${executionId}.${step}`);
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
    // A host may clean up what has been empty for long.
    mkdirSync(runDir, { recursive: true, mode: 0o700 });
    mkdirSync(dir, { mode: 0o700 });
    writeFileSync(path.join(dir, childFiles.asked), JSON.stringify(asked), { mode: 0o600 });
  } catch (error) {
    throw new ChildError(`No folder can be made for the child's output: ${codeOf(error)}.`);
  }
  return dir;
}

type Ground = {
  readonly dir: string;
  readonly tools: readonly string[];
  readonly watch: FolderWatch;
};

async function launch(spec: ChildSpec, { dir, tools, watch }: Ground): Promise<ChildManifest> {
  const { executionId, step } = spec;
  const [sh = "", ...others] = tools;
  const { bfree, bsize } = statfsSync(dir);
  const { readsPerSegment, aheadKilobytes } = boundOutput(bfree * bsize);
  const { argv, cwd, env, environment, close } = await launchOf(spec, dir);
  const asked = [dir, executionId, `${step}`, cwd, ...others];
  const bound = [`${readsPerSegment}`, `${aheadKilobytes}`, spec.cgroup ?? ""];
  let isOver = false;
  const supervisor = execa(sh, ["-c", supervisorScript, "svc-child", ...asked, ...bound, ...argv], {
    cwd: "/",
    env: { ...env },
    extendEnv: false,
    detached: true,
    cleanup: false,
    // A descriptor like any other: its type names the first ones only.
    stdin: (environment as 3 | undefined) ?? "ignore",
    stdout: "ignore",
    stderr: "ignore",
    buffer: false,
    reject: false,
  });
  const ended = supervisor.then((result) => {
    isOver = true;
    watch.fate.ring();
    return result;
  });
  close();
  // Neither its life nor its end is this process's: what waits for it watches the folder.
  supervisor.nodeChildProcess.unref();
  const carrier = supervisor.pid === undefined ? undefined : readStat(supervisor.pid);
  const giveUpAtMs = performance.now() + bornWithinMs;
  for (;;) {
    const seen = watch.fate.rings();
    const manifest = readManifest(dir, carrier);
    if (manifest !== undefined) return manifest;
    if (isOver || performance.now() > giveUpAtMs) break;
    await watch.fate.after(seen, 1_000);
  }
  const reason = isOver ? reasonOf((await ended).cause, dir) : "it takes too long";
  throw new ChildError(`The child could not be started: ${reason}.`);
}

function reasonOf(error: unknown, dir: string): string {
  const said = readText(path.join(dir, childFiles.said));
  return said.includes("cgroup.procs") ? "its cgroup cannot be entered" : codeOf(error);
}

/** The kernel's word for what went wrong. A whole message would show the arguments. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return words[code] ?? (code === "" ? "its supervisor ended at once" : code);
}

const words: Readonly<Record<string, string>> = {
  E2BIG:
    "its arguments and variables are too large together, or one of them is over 128 KiB (E2BIG)",
  EAGAIN: "this host gives us no further process (EAGAIN)",
  ENOMEM: "there is no memory for a further process (ENOMEM)",
  EEXIST: "this step has one already (EEXIST)",
  ENOSPC: "the run directory is full (ENOSPC)",
};
