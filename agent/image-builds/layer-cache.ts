import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rename, rm, statfs, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import type { Descriptor } from "../registry/descriptor.ts";
import { digestOf } from "../registry/digest-of.ts";
import { RegistryFault } from "../registry/registry-fault.ts";
import { type BuiltStep, readSteps } from "./built-steps.ts";
import {
  dropOldest,
  type LayerCache,
  listKept,
  namesFile,
  newPlace,
  nextKept,
} from "./kept-layers.ts";
import { linkOrCopy } from "./link-or-copy.ts";

const manifestType = "application/vnd.oci.image.manifest.v1+json";

export type KeepingBound = {
  /** What the disk keeps free. */
  readonly leastFree: number;
  /** Aborts when it has taken long enough. */
  readonly signal: AbortSignal;
};

/**
 * Keeps the steps that a build has made or used in the place of those that were kept of the component before, and drops
 * what was used longest ago where all are too much. Nothing is under its name before it is whole. Answers the bytes that
 * are kept of it, or why none are.
 */
export async function keepLayers(
  cache: LayerCache,
  storage: string,
  bound: KeepingBound,
): Promise<number | string> {
  const { folder, key, mostBytes } = cache;
  const steps = await readSteps(storage);
  if (steps.length === 0) return 0;
  const own = path.join(folder, key);
  await mkdir(own, { recursive: true, mode: 0o700 });
  await dropOldest(folder, mostBytes);
  const made = newPlace(folder);
  try {
    const former = (await listKept(own)).at(-1);
    const blobs = path.join(made, "blobs", "sha256");
    await mkdir(blobs, { recursive: true, mode: 0o700 });
    const bytes = await write({ made, blobs, former, steps, mostBytes, bound });
    if (typeof bytes === "string") return bytes;
    const kept = await nextKept(own);
    await rename(made, kept);
    const all = await listKept(own);
    for (const one of all.slice(0, all.indexOf(kept)))
      await rm(one, { recursive: true, force: true });
    await utimes(own, new Date(), new Date());
    await dropOldest(folder, mostBytes);
    return bytes;
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

type Writing = {
  readonly made: string;
  readonly blobs: string;
  readonly former: string | undefined;
  readonly steps: readonly BuiltStep[];
  readonly mostBytes: number;
  readonly bound: KeepingBound;
};

/** Answers the bytes, or why it has stopped. */
async function write(writing: Writing): Promise<number | string> {
  const { made, blobs, steps, mostBytes } = writing;
  const manifests: object[] = [];
  const written = new Set<string>();
  let bytes = 0;
  const put = async (text: Buffer): Promise<Descriptor> => {
    const digest = digestOf(text);
    await writeFile(path.join(blobs, hexOf(digest)), text, durable);
    bytes += text.length;
    return { digest, size: text.length, mediaType: manifestType };
  };
  for (const [at, { config, manifest, layers }] of steps.entries()) {
    for (const layer of layers) {
      const { digest, size } = layer.descriptor;
      if (written.has(digest)) continue;
      written.add(digest);
      bytes += size;
      if (bytes > mostBytes) return "they are more than build-cache";
      if (!(await addLayer(writing, layer))) return "the disk has no room for them (min-free-disk)";
    }
    await put(config);
    const whole = { ...manifest, layers: layers.map(({ descriptor }) => descriptor) };
    const told = await put(Buffer.from(JSON.stringify(whole)));
    const annotations = { "org.opencontainers.image.ref.name": `s${at}` };
    manifests.push({ ...told, annotations });
  }
  await writeFile(path.join(made, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}', durable);
  const index = JSON.stringify({ schemaVersion: 2, manifests });
  await writeFile(path.join(made, "index.json"), index, durable);
  const names = steps.map((_, at) => `s${at}\n`).join("");
  await writeFile(path.join(made, namesFile), names, durable);
  return bytes;
}

const durable = { mode: 0o644, flush: true } as const;

/** Links what was kept before, if it is as it was, or copies it; answers whether the disk has room for it. */
async function addLayer(
  { blobs, former, bound: { leastFree, signal } }: Writing,
  { descriptor: { digest, size }, file }: BuiltStep["layers"][number],
): Promise<boolean> {
  signal.throwIfAborted();
  const into = path.join(blobs, hexOf(digest));
  const known = former && path.join(former, "blobs", "sha256", hexOf(digest));
  if (known !== undefined && (await linkOrCopy(known, into))) {
    if ((await readDigest(into, signal)) === digest) return true;
    await rm(into);
  }
  const { bavail, bsize } = await statfs(blobs);
  if (bavail * bsize - size < leastFree) return false;
  await copyChecked({ file, into, digest, signal });
  return true;
}

async function readDigest(file: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash, { signal });
  return `sha256:${hash.digest("hex")}`;
}

type Copying = {
  readonly file: string;
  readonly into: string;
  readonly digest: string;
  readonly signal: AbortSignal;
};

/** What ran in a build may have changed its files: only what has the digest that it says is kept. */
async function copyChecked({ file, into, digest, signal }: Copying): Promise<void> {
  const hash = createHash("sha256");
  const bytes = createReadStream(file);
  bytes.on("data", (piece) => hash.update(piece));
  await pipeline(bytes, createWriteStream(into, durable), { signal });
  if (`sha256:${hash.digest("hex")}` !== digest)
    throw new RegistryFault("digest", `the layer ${digest} has other bytes`);
}

const hexOf = (digest: string): string => digest.replace(/^sha256:/, "");
