import { lstat, readFile, realpath } from "node:fs/promises";
import path from "node:path";
import { type Descriptor, manifestShape } from "../registry/descriptor.ts";
import { digestOf } from "../registry/digest-of.ts";
import type { Artifact } from "../registry/push-artifact.ts";
import { RegistryFault } from "../registry/registry-fault.ts";

const mostBytes = 4 * 2 ** 20;

/**
 * Reads the image of an OCI layout that a builder has written, as it is pushed. What runs in a build may have changed it:
 * nothing but files below the layout is read, and blobs are checked when they are pushed. Throws RegistryFault.
 */
export async function readLayout(layout: string): Promise<Artifact> {
  const stat = await lstat(layout).catch(() => undefined);
  if (stat?.isDirectory() !== true) throw unsafe("it is not where it was written");
  const root = await realpath(layout);
  const index = parsed(await readText(root, "index.json"));
  const [only, ...others] = index.manifests ?? [];
  if (only === undefined || others.length > 0) throw unsafe("it has not one image");
  const { config, layers, annotations } = parsed(await readBlobText(root, only));
  if (config == null || layers == null) throw unsafe("it has no image");
  const files = await Promise.all(
    layers.map(async ({ mediaType, digest, size }) => {
      const file = await placeOf(root, digest, size);
      return { file, mediaType, digest, size };
    }),
  );
  const bytes = Buffer.from(await readBlobText(root, config));
  return {
    config: { mediaType: config.mediaType, bytes },
    layers: files,
    ...(annotations != null && { annotations }),
  };
}

async function readBlobText(root: string, { digest, size }: Descriptor): Promise<string> {
  const file = await placeOf(root, digest, size);
  const text = await readText(root, path.relative(root, file));
  if (digestOf(Buffer.from(text)) !== digest) throw unsafe(`${digest} has other bytes`);
  return text;
}

async function placeOf(root: string, digest: string, size: number): Promise<string> {
  const file = path.join(root, "blobs", ...digest.split(":"));
  const stat = (await realpath(file).catch(() => "")) === file ? await lstat(file) : undefined;
  if (stat === undefined || !stat.isFile() || stat.size !== size)
    throw unsafe(`${digest} is not there as it should be`);
  return file;
}

async function readText(root: string, name: string): Promise<string> {
  const file = path.join(root, name);
  const stat = (await realpath(file).catch(() => "")) === file ? await lstat(file) : undefined;
  if (stat === undefined || !stat.isFile() || stat.size > mostBytes)
    throw unsafe(`${name} cannot be read`);
  return await readFile(file, "utf8");
}

function parsed(text: string) {
  try {
    return manifestShape.parse(JSON.parse(text));
  } catch {
    throw unsafe("its manifest is invalid");
  }
}

const unsafe = (words: string): RegistryFault =>
  new RegistryFault("unsafe", `what was built cannot be read: ${words}`);
