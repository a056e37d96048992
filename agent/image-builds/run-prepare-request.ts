import { chmod, lstat, readFile, realpath, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { findAddressBlock } from "../../shared/network/find-block.ts";
import { findProxy } from "../client/find-proxy.ts";
import type { Environment } from "../config/environment.ts";
import { shownReference } from "../registry/reference.ts";
import { makeRegistryClient, type RegistryClient } from "../registry/registry-client.ts";
import { isBelow } from "../registry/registry-credentials.ts";
import { RegistryFault } from "../registry/registry-fault.ts";
import { sayingHost } from "../registry/saying-host.ts";
import { type BaseImage, platformOf } from "./base-image.ts";
import { DockerfileFault } from "./dockerfile-fault.ts";
import { imageFiles } from "./image-folder.ts";
import { hasOtherMounts } from "./other-mounts.ts";
import {
  type PreparedImage,
  type PrepareRequest,
  prepareRequest,
  type PrivateRepository,
} from "./prepare-request.ts";
import { pullBase } from "./pull-base.ts";
import { readStages } from "./read-stages.ts";

type Call = { readonly env: Environment; readonly say: (line: string) => void };

/** The exit code when the result file says why. */
const failedCode = 72;
const mostDockerfileBytes = 2 ** 20;

/**
 * Makes all that the build of an image needs from elsewhere, by a request in a file: the Dockerfile, whose images are
 * named as they are in the builder's store, and these images. Returns an exit code.
 */
export async function runPrepareRequest(file: string, call: Call): Promise<number> {
  const request = prepareRequest.parse(JSON.parse(await readFile(file, "utf8")));
  if (request.logins.length > 0) await rm(file);
  const tell = async (what: object): Promise<void> =>
    await writeFile(request.told, JSON.stringify(what), { mode: 0o600 });
  // The builder has other ids; nobody else comes as far as here.
  process.umask(0o022);
  try {
    await tell(await prepare(request, call));
    return 0;
  } catch (error) {
    if (error instanceof DockerfileFault) {
      const { class: kind, message: words, line } = error;
      await tell({ class: kind, words, ...(line !== undefined && { line }) });
      return failedCode;
    }
    if (!(error instanceof RegistryFault)) throw error;
    await tell({ class: error.class, words: error.message });
    return failedCode;
  }
}

type Needs = { readonly needs: readonly PrivateRepository[] };

async function prepare(request: PrepareRequest, call: Call): Promise<PreparedImage | Needs> {
  const { folder, target, buildArgs, secrets, ownOrigin } = request;
  const plainHost = ownOrigin.startsWith("http://") ? new URL(ownOrigin).host : undefined;
  const text = await readDockerfile(request);
  const host = platformOf(process.arch);
  const read = readStages(text, { target, buildArgs, secrets, host, plainHost });
  const { bases } = read;
  const needs = lackingLogins(request, bases);
  if (needs.length > 0) return { needs };
  await chmod(folder, 0o755);
  await chmod(path.join(folder, imageFiles.context), 0o644);
  const { found, triggers } = await pullAll(request, bases, call);
  await writeFile(path.join(folder, imageFiles.dockerfile), read.text, { mode: 0o644 });
  return { bases: found, hasOtherMounts: read.hasOtherMounts || triggers.some(hasOtherMounts) };
}

/** The repositories that have a login, which is not there yet. */
function lackingLogins(
  { privates, logins }: PrepareRequest,
  bases: readonly BaseImage[],
): PrivateRepository[] {
  if (logins.length > 0) return [];
  return bases
    .map(({ reference: { origin, repository } }) => ({ origin, repository }))
    .filter((one) => privates.some((place) => isBelow(one, place)));
}

/** Throws DockerfileFault. */
async function readDockerfile({ context, dockerfile }: PrepareRequest): Promise<string> {
  const place = path.resolve(context, dockerfile);
  if (!isIn(place, path.resolve(context))) throw outside();
  const found = await realpath(place).catch(() => undefined);
  if (found === undefined) throw new DockerfileFault("not_found", "it does not exist");
  if (!isIn(found, await realpath(context))) throw outside();
  const stat = await lstat(found);
  if (!stat.isFile()) throw new DockerfileFault("not_found", "it is no file");
  if (stat.size > mostDockerfileBytes)
    throw new DockerfileFault("too_large", "it is larger than 1 MiB");
  return await readFile(found, "utf8");
}

const isIn = (one: string, root: string): boolean => one.startsWith(`${root}${path.sep}`);

const outside = (): DockerfileFault =>
  new DockerfileFault("outside", "it is outside of the context, the folder that is built from");

type Pulled = {
  readonly found: PreparedImage["bases"];
  /** What these images have a Dockerfile do that begins with them. */
  readonly triggers: readonly string[];
};

async function pullAll(
  request: PrepareRequest,
  bases: readonly BaseImage[],
  { env, say }: Call,
): Promise<Pulled> {
  const { folder, mostBytes } = request;
  const pulls = { mostBytes, blobs: new Map<string, string>(), bytes: 0 };
  const found: PreparedImage["bases"] = [];
  const triggers: string[] = [];
  for (const [at, base] of bases.entries()) {
    const image = shownReference(base.reference);
    const client = clientOf(base, request, env);
    try {
      const into = path.join(folder, imageFiles.bases, `b${at}`);
      const pulled = await pullBase(sayingHost(client), base, { folder: into, pulls });
      say(`pulled ${image}: ${pulled.digest}`);
      found.push({ image, digest: pulled.digest });
      triggers.push(...pulled.triggers);
    } catch (error) {
      if (!(error instanceof RegistryFault)) throw error;
      const words = `the image ${image} of line ${base.line}: ${error.message}`;
      throw new RegistryFault(error.class, words);
    }
  }
  const names = bases.map(({ name }, at) => `b${at} ${name}\n`).join("");
  await writeFile(path.join(folder, imageFiles.names), names, { mode: 0o644 });
  return { found, triggers };
}

const findBlock = (address: string): string | undefined => findAddressBlock(address, "strict");

/**
 * Who writes a Dockerfile does not lead the agent to private addresses, but to the registry that the plan names, and to
 * those that the agent's owner gives a login for.
 */
function clientOf(
  { reference }: BaseImage,
  { ownOrigin, logins }: PrepareRequest,
  env: Environment,
): RegistryClient {
  const { origin, repository } = reference;
  const given = logins.find((one) => one.origin === origin && one.repository === repository);
  const isKnown = origin === ownOrigin || given !== undefined;
  return makeRegistryClient(reference, given?.login ?? {}, {
    isProxiedTo: (url) => findProxy(url, env) !== undefined,
    ...(!isKnown && { findBlock }),
  });
}
