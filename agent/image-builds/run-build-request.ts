import { execFile } from "node:child_process";
import { closeSync, fchmodSync, fchownSync, fstatSync, mkdirSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { promisify } from "node:util";
import type { Environment } from "../config/environment.ts";
import { isRoot } from "../job-users/run-as-user.ts";
import { findProgram } from "../processes/find-program.ts";
import { RegistryFault } from "../registry/registry-fault.ts";
import { type BuildRequest, buildRequest, type BuildTold } from "./build-request.ts";
import { clearLayers } from "./clear-layers.ts";
import { imageFiles, storageFolder } from "./image-folder.ts";
import { IsolationFault } from "./isolation-fault.ts";
import { offerLayers } from "./kept-layers.ts";
import { keepLayers } from "./layer-cache.ts";
import { openFolder, openWithin, placeOfOpened } from "./open-folder.ts";
import { type Namespaces, openNamespaces } from "./open-namespaces.ts";
import { openNetwork } from "./open-network.ts";
import {
  builderCodes,
  type BuilderEnd,
  type BuilderHow,
  type BuilderMeans,
  runBuilder,
  writeSteps,
} from "./run-builder.ts";
import { type RunningBuild, signalBuild } from "./signal-build.ts";
import { watchStorage } from "./watch-storage.ts";

type Call = { readonly env: Environment; readonly say: (line: string) => void };

const run = promisify(execFile);
/** The exit code when the result file says why. */
const failedCode = 72;

/**
 * Builds an image by buildah, kept apart from the host, by a request in a file, and writes the result beside it. It runs
 * as the agent, which alone may give the build ids of its own; nothing of the build does. Returns an exit code.
 */
export async function runBuildRequest(file: string, { env, say }: Call): Promise<number> {
  const request = buildRequest.parse(JSON.parse(await readFile(file, "utf8")));
  await rm(file);
  // The builder has other ids; nobody else comes as far as to its folder, or to where layers are kept.
  process.umask(0o022);
  const told = await build(request, { env, say }).catch((error: unknown): BuildTold => {
    if (!(error instanceof IsolationFault)) throw error;
    return { class: "isolation", words: error.message };
  });
  await writeFile(request.told, JSON.stringify(told), { mode: 0o600 });
  return told.class === undefined ? 0 : failedCode;
}

async function build(request: BuildRequest, { env, say }: Call): Promise<BuildTold> {
  const search = `${env["PATH"] ?? ""}:/usr/local/sbin:/usr/sbin:/sbin`;
  const buildah = await findProgram("buildah", { cwd: "/", search });
  if (buildah === undefined) {
    const words = "buildah is not installed: install it (Debian: buildah, uidmap, slirp4netns)";
    return { class: "tool_missing", words };
  }
  const { isIsolated, firstId, folder } = request;
  const owner = isRoot() && isIsolated ? firstId : undefined;
  makeStorage(folder, owner);
  if (!isIsolated) {
    say("it is not kept apart from this host (build-isolation = off)");
    return await bounded(request, { buildah, search, env, isConnected: false }, say);
  }
  const namespaces = await openNamespaces({ firstId, path: search });
  try {
    if (!namespaces.hasManyIds)
      say(
        "it has no ids of its own, and can run nothing: newuidmap or a range in /etc/subuid is missing",
      );
    return await withNetwork(request, { buildah, search, namespaces, say }, env);
  } finally {
    namespaces.close();
  }
}

/** A folder in which the build's own root may write, whoever that is; nobody else comes there. */
function makeStorage(folder: string, owner: number | undefined): void {
  const mode = owner === undefined ? 0o777 : 0o755;
  closeSync(makeFolder(folder, basename(storageFolder(folder)), { mode, owner }));
}

type FolderFor = { readonly mode: number; readonly owner: number | undefined };

/** Makes a folder in the build's, which is the job's: nothing that somebody puts in its place is taken for it. The caller closes it. */
function makeFolder(folder: string, name: string, { mode, owner }: FolderFor): number {
  const above = openFolder(dirname(folder), basename(folder));
  try {
    mkdirSync(`${placeOfOpened(above)}/${name}`);
    const made = openWithin(above, name);
    try {
      if (fstatSync(made).uid !== process.getuid?.())
        throw new Error("the folder of the build was replaced");
      fchmodSync(made, mode);
      if (owner !== undefined) fchownSync(made, owner, owner);
      return made;
    } catch (error) {
      closeSync(made);
      throw error;
    }
  } finally {
    closeSync(above);
  }
}

type Apart = {
  readonly buildah: string;
  readonly search: string;
  readonly namespaces: Namespaces;
  readonly say: Call["say"];
};

async function withNetwork(
  request: BuildRequest,
  { buildah, search, namespaces, say }: Apart,
  env: Environment,
): Promise<BuildTold> {
  const network = request.hasNetwork
    ? await openNetwork(namespaces.pid, search)
    : { missing: "build-network is none" };
  if ("missing" in network) say(`what it runs has no network: ${network.missing}`);
  try {
    const isConnected = !("missing" in network);
    const means = { buildah, search, env, namespaces, isConnected };
    return await bounded(request, means, say);
  } finally {
    if (!("missing" in network)) network.close();
  }
}

/** Builds with a bound of the disk, and leaves nothing there but the image. */
async function bounded(
  request: BuildRequest,
  means: BuilderMeans,
  say: Call["say"],
): Promise<BuildTold> {
  const { folder, mostBytes, leastFree } = request;
  const { namespaces, search } = means;
  const enter = namespaces?.enter ?? [];
  const stop = new AbortController();
  const stopNow = (): void => stop.abort();
  process.once("SIGTERM", stopNow);
  let running: RunningBuild | undefined;
  const signalNow = (signal: "STOP" | "CONT"): void =>
    void (running && signalBuild(running, signal));
  const watch = watchStorage(
    { folder, mostBytes, leastFree, enter, path: search },
    { over: stopNow, hold: () => signalNow("STOP"), release: () => signalNow("CONT") },
  );
  const how = {
    signal: stop.signal,
    began: (pid: number) => (running = { pid, namespaces, search }),
  };
  try {
    await offer(request, means, say);
    const end = await runBuilder(request, means, how);
    if (end.code !== 0) await watch.look();
    if (!watch.isOver()) {
      if (end.code === 0) await keep(request, means, { steps: end.steps, how, say });
      return toldOf(end);
    }
    const words = `it takes more than ${Math.ceil(mostBytes / 2 ** 20)} MiB of the disk (build-disk), or what the host keeps free (min-free-disk)`;
    return { class: "disk", words };
  } finally {
    watch.stop();
    process.off("SIGTERM", stopNow);
    clearLayers(folder);
    const [program = "rm", ...args] = [...enter, "rm", "-rf", ...leftovers];
    const cwd = storageFolder(folder);
    // What stays is removed with the workspace, which says so.
    await run(program, args, { cwd, env: { PATH: search } }).catch(() => {});
  }
}

/** Puts layers of a former build where this one finds them. */
async function offer(
  { cache, folder }: BuildRequest,
  { namespaces }: BuilderMeans,
  say: Call["say"],
): Promise<void> {
  if (cache?.isRead !== true || namespaces === undefined) return;
  const opened = makeFolder(folder, imageFiles.layers, { mode: 0o755, owner: undefined });
  try {
    const steps = await offerLayers(cache, placeOfOpened(opened));
    if (steps > 0) say(`${steps} steps of the build before are known`);
  } finally {
    closeSync(opened);
  }
}

type Keeping = {
  readonly steps: readonly string[];
  readonly how: BuilderHow;
  readonly say: Call["say"];
};

/** Keeps the layers for the next build. What hinders that is no fault of this one. */
async function keep(
  request: BuildRequest,
  means: BuilderMeans,
  { steps, how, say }: Keeping,
): Promise<void> {
  const { cache, folder, leastFree } = request;
  if (cache === undefined || means.namespaces === undefined || steps.length === 0) return;
  try {
    const { code, complaint } = await writeSteps(request, means, { steps, how });
    const kept = code === 0 ? await keepLayers(cache, storageFolder(folder), leastFree) : complaint;
    if (typeof kept === "string") say(`its layers are not kept: ${kept}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined && !(error instanceof RegistryFault)) throw error;
    say(`its layers are not kept: ${error instanceof RegistryFault ? error.message : code}`);
  }
}

const leftovers = ["root", "run", "tmp", "context", "home", "steps", "policy.json"];

function toldOf({ code, complaint }: BuilderEnd): BuildTold {
  if (code === 0) return { words: "" };
  if (/no space left on device/i.test(complaint))
    return { class: "disk", words: `the disk is full: ${complaint}` };
  if (code === builderCodes.images)
    return { class: "unsafe", words: `its images cannot be read: ${complaint}` };
  if (code === builderCodes.layout)
    return { class: "step_failed", words: `the image cannot be written: ${complaint}` };
  if (code !== builderCodes.dockerfile)
    return { class: "isolation", words: `it cannot be kept apart from this host: ${complaint}` };
  const isMissing = /STEP "(?:COPY|ADD) .*no such file or directory/s.test(complaint);
  return { class: isMissing ? "not_found" : "step_failed", words: complaint };
}
