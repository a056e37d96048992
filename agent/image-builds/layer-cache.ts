import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rename, rm, statfs, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import type { Descriptor } from "../registry/descriptor.ts";
import { digestOf } from "../registry/digest-of.ts";
import { RegistryFault } from "../registry/registry-fault.ts";
import { type BuiltStep, readSteps } from "./built-steps.ts";
import { dropOldest, type LayerCache, listKept, namesFile, removeStale } from "./kept-layers.ts";
import { linkOrCopy } from "./link-or-copy.ts";

const manifestType = "application/vnd.oci.image.manifest.v1+json";

/**
 * Keeps the steps that a build has made or used in the place of those that were kept of the component before, and drops
 * what was used longest ago where all are too much. Nothing is under its name before it is whole. Answers the bytes that
 * are kept of it, or why none are.
 */
export async function keepLayers(
  cache: LayerCache,
  storage: string,
  leastFree: number,
): Promise<number | string> {
  const { folder, key, mostBytes } = cache;
  const steps = await readSteps(storage);
  if (steps.length === 0) return 0;
  const own = path.join(folder, key);
  await mkdir(own, { recursive: true, mode: 0o700 });
  await removeStale(folder);
  const made = path.join(folder, `new-${process.pid}`);
  try {
    const former = (await listKept(own)).at(-1);
    const blobs = path.join(made, "blobs", "sha256");
    await mkdir(blobs, { recursive: true, mode: 0o700 });
    const bytes = await write({ made, blobs, former, steps, mostBytes });
    if (bytes > mostBytes) return "they are more than build-cache";
    const { bavail, bsize } = await statfs(made);
    if (bavail * bsize < leastFree) return "the disk has no room for them (min-free-disk)";
    // Builds of one component may end at the same time: each has a name of its own, and the last one counts.
    await rename(made, path.join(own, `${Date.now()}-${process.pid}`));
    const all = await listKept(own);
    for (const one of all.slice(0, -1)) await rm(one, { recursive: true, force: true });
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
};

async function write({ made, blobs, former, steps, mostBytes }: Writing): Promise<number> {
  const manifests: object[] = [];
  const written = new Set<string>();
  let bytes = 0;
  const put = async (text: Buffer): Promise<Descriptor> => {
    const digest = digestOf(text);
    await writeFile(path.join(blobs, hexOf(digest)), text, { mode: 0o644 });
    bytes += text.length;
    return { digest, size: text.length, mediaType: manifestType };
  };
  for (const [at, { config, manifest, layers }] of steps.entries()) {
    for (const { descriptor, file } of layers) {
      const { digest, size } = descriptor;
      if (written.has(digest)) continue;
      written.add(digest);
      bytes += size;
      if (bytes > mostBytes) return bytes;
      const into = path.join(blobs, hexOf(digest));
      const known = former && path.join(former, "blobs", "sha256", hexOf(digest));
      if (known === undefined || !(await linkOrCopy(known, into)))
        await copyChecked(file, into, digest);
    }
    await put(config);
    const whole = { ...manifest, layers: layers.map(({ descriptor }) => descriptor) };
    const told = await put(Buffer.from(JSON.stringify(whole)));
    const annotations = { "org.opencontainers.image.ref.name": `s${at}` };
    manifests.push({ ...told, annotations });
  }
  await writeFile(path.join(made, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}', { mode: 0o644 });
  const index = JSON.stringify({ schemaVersion: 2, manifests });
  await writeFile(path.join(made, "index.json"), index, { mode: 0o644 });
  const names = steps.map((_, at) => `s${at}\n`).join("");
  await writeFile(path.join(made, namesFile), names, { mode: 0o644 });
  return bytes;
}

/** What ran in a build may have changed its files: only what has the digest that it says is kept. */
async function copyChecked(from: string, into: string, digest: string): Promise<void> {
  const hash = createHash("sha256");
  const bytes = createReadStream(from);
  bytes.on("data", (piece) => hash.update(piece));
  await pipeline(bytes, createWriteStream(into, { mode: 0o644 }));
  if (`sha256:${hash.digest("hex")}` !== digest)
    throw new RegistryFault("digest", `the layer ${digest} has other bytes`);
}

const hexOf = (digest: string): string => digest.replace(/^sha256:/, "");
