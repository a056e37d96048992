import { execFile } from "node:child_process";
import { closeSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { promisify } from "node:util";
import type { Environment } from "../config/environment.ts";
import { isRoot } from "../job-users/run-as-user.ts";
import { findProgram } from "../processes/find-program.ts";
import { type BuildRequest, buildRequest, type BuildTold } from "./build-request.ts";
import { clearLayers } from "./clear-layers.ts";
import { imageFiles, storageFolder } from "./image-folder.ts";
import { IsolationFault } from "./isolation-fault.ts";
import { keepSteps } from "./keep-steps.ts";
import { makeFolder } from "./make-folder.ts";
import { offerKept } from "./offer-kept.ts";
import { type Namespaces, openNamespaces } from "./open-namespaces.ts";
import { openNetwork } from "./open-network.ts";
import {
  builderCodes,
  type BuilderEnd,
  type BuilderHow,
  type BuilderMeans,
  runBuilder,
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

/** Builds with layers of the build before where there are any, and once without where these are too much for the disk. */
async function bounded(
  request: BuildRequest,
  means: BuilderMeans,
  say: Call["say"],
): Promise<BuildTold> {
  const stopped = new AbortController();
  const stopNow = (): void => stopped.abort();
  process.once("SIGTERM", stopNow);
  const attempt = { say, stopped: stopped.signal };
  try {
    const hasLayers = await offerKept(request, means, say);
    const told = await buildOnce(request, { ...means, hasLayers }, attempt);
    if (!hasLayers || told.class !== "disk" || stopped.signal.aborted) return told;
    say("the disk has no room for the layers of the build before: it begins again without them");
    await clear(request, means, [...leftovers, "out"]);
    return await buildOnce(request, means, attempt);
  } finally {
    process.off("SIGTERM", stopNow);
    clearLayers(request.folder);
  }
}

type Attempt = { readonly say: Call["say"]; readonly stopped: AbortSignal };

/** Builds with a bound of the disk, and leaves nothing there but the image. */
async function buildOnce(
  request: BuildRequest,
  means: BuilderMeans,
  { say, stopped }: Attempt,
): Promise<BuildTold> {
  const { folder, mostBytes, leastFree } = request;
  const { namespaces, search } = means;
  const over = new AbortController();
  let running: RunningBuild | undefined;
  const signalNow = (signal: "STOP" | "CONT"): void =>
    void (running && signalBuild(running, signal));
  const enter = namespaces?.enter ?? [];
  const watch = watchStorage(
    { folder, except: imageFiles.layers, mostBytes, leastFree, enter, path: search },
    {
      over: () => over.abort(),
      hold: () => signalNow("STOP"),
      release: () => signalNow("CONT"),
    },
  );
  const how: BuilderHow = {
    signal: AbortSignal.any([stopped, over.signal]),
    began: (pid) => (running = { pid, namespaces, search }),
    // They are unpacked by then.
    atFirstStep: () => clearLayers(folder),
  };
  try {
    const end = await runBuilder(request, means, how);
    if (end.code !== 0) await watch.look();
    if (!watch.isOver()) {
      if (end.code === 0) await keepSteps(request, means, { steps: end.steps, how, say });
      return toldOf(end);
    }
    const words = `it takes more than ${Math.ceil(mostBytes / 2 ** 20)} MiB of the disk (build-disk), or what the host keeps free (min-free-disk)`;
    return { class: "disk", words };
  } finally {
    watch.stop();
    await clear(request, means, leftovers);
  }
}

/** What stays is removed with the workspace, which says so. */
async function clear(
  { folder }: BuildRequest,
  { namespaces, search }: BuilderMeans,
  names: readonly string[],
): Promise<void> {
  const [program = "rm", ...args] = [...(namespaces?.enter ?? []), "rm", "-rf", ...names];
  const cwd = storageFolder(folder);
  await run(program, args, { cwd, env: { PATH: search } }).catch(() => {});
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
