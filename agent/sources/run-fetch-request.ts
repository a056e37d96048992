import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { ArchiveEntries } from "../../shared/tar/archive-entry.ts";
import type { Environment } from "../config/environment.ts";
import { type PulledLayer, pullArtifact } from "../registry/pull-artifact.ts";
import { readReference } from "../registry/reference.ts";
import { makeRegistryClient } from "../registry/registry-client.ts";
import { RegistryFault } from "../registry/registry-fault.ts";
import { usesProxy } from "../registry/uses-proxy.ts";
import { type FetchRequest, fetchRequest } from "./fetch-request.ts";
import { noArchive, readArchiveText } from "./read-archive-text.ts";
import { SourceFault } from "./source-failure.ts";
import { digestEntries } from "./unpack/digest-entries.ts";
import { readArchive } from "./unpack/read-archive.ts";
import { readFolder } from "./unpack/read-folder.ts";
import { sizeText } from "./unpack/size-text.ts";
import { type Unpacked, unpackInto } from "./unpack/unpack-entries.ts";

const mostEntries = 100_000;

/** Carries out a fetch request in a file and writes the result beside it. Returns an exit code. */
export async function runFetchRequest(
  file: string,
  { env, say }: { readonly env: Environment; readonly say: (line: string) => void },
): Promise<number> {
  const order = fetchRequest.parse(JSON.parse(await readFile(file, "utf8")));
  const { folder, told } = order;
  const tell = async (what: object): Promise<void> =>
    await writeFile(told, JSON.stringify(what), { mode: 0o600 });
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const unpacked = unpackInto(folder, { mostBytes: order.mostBytes, mostEntries });
    const revision = await fetchInto(unpacked, order, usesProxy(env));
    const size = sizeText(await unpacked.finish());
    await tell({ revision });
    say(`source ${revision === "" ? "copied" : `at ${revision}`}: ${size}`);
    return 0;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (!(error instanceof SourceFault || error instanceof RegistryFault)) throw error;
    await tell({ class: error.class, words: error.message });
    return failedCode;
  }
}

/** The exit code when the result file says why. */
export const failedCode = 72;

async function fetchInto(
  unpacked: Unpacked,
  { source, folder, mostBytes }: FetchRequest,
  isProxied: boolean,
): Promise<string> {
  if (source.kind === "path") {
    const { entries, digest } = digestEntries(readFolder(source.path));
    await unpacked.add(entries);
    return digest();
  }
  const place = await mkdtemp(`${folder}.fetched-`);
  try {
    if (source.kind === "archive") {
      const { entries, revision } = await readArchiveText(
        await readFile(source.file, "latin1"),
        place,
      );
      await unpacked.add(entries);
      return revision;
    }
    const client = makeRegistryClient(readReference(source), source.login, { isProxied });
    const artifact = await pullArtifact(client, readReference(source), {
      folder: place,
      mostBytes,
    });
    const isOnly = artifact.layers.length === 1;
    for (const layer of artifact.layers) await unpackLayer(unpacked, layer, isOnly);
    return artifact.digest;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/**
 * Layers without a name are archives, and so are packed folders, and an only layer with the bytes of an archive: a
 * chart, a module. All others are files with their given names.
 */
async function unpackLayer(unpacked: Unpacked, layer: PulledLayer, isOnly: boolean): Promise<void> {
  const { file, title, isPackedFolder, mediaType } = layer;
  const isArchive = title === "" || isPackedFolder || isOnly;
  const entries = isArchive ? await readArchive(file) : undefined;
  if (entries !== undefined) return await unpacked.add(entries);
  if (title !== "" && !isPackedFolder) return await unpacked.add(oneFile(title, file));
  if (isPackedFolder || /tar|zip/.test(mediaType))
    throw noArchive(`its layer of type ${mediaType}`);
}

async function* oneFile(name: string, file: string): ArchiveEntries {
  yield { name, kind: "file", mode: 0o644, target: "", body: createReadStream(file) };
}
