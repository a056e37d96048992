import { lstat, readFile, realpath } from "node:fs/promises";
import path from "node:path";
import { type Descriptor, manifestShape } from "../registry/descriptor.ts";
import { digestOf } from "../registry/digest-of.ts";
import { RegistryFault } from "../registry/registry-fault.ts";

const mostBytes = 4 * 2 ** 20;

/** What is in a folder that a builder has written. */
export type LayoutFiles = {
  /** The text of a file in it. */
  readonly text: (name: string) => Promise<string>;
  /** The images of an OCI layout. */
  readonly index: () => Promise<readonly Descriptor[]>;
  /** One of its images: its config, which has the digest that it says, and where its layers are. */
  readonly image: (one: Descriptor) => Promise<LayoutImage>;
};

export type LayoutImage = {
  readonly config: string;
  readonly configType: string;
  readonly layers: readonly { readonly descriptor: Descriptor; readonly file: string }[];
  readonly annotations: Readonly<Record<string, string>> | undefined;
};

/**
 * Opens a folder that a builder has written. What runs in a build may have changed it: nothing but files below it is
 * read. Throws RegistryFault, as its functions do.
 */
export async function layoutFiles(folder: string): Promise<LayoutFiles> {
  const stat = await lstat(folder).catch(() => undefined);
  if (stat?.isDirectory() !== true) throw unsafe("it is not where it was written");
  const root = await realpath(folder);
  const text = async (name: string): Promise<string> => await readText(root, name);
  const textOf = async (one: Descriptor): Promise<string> => {
    const found = await text(path.relative(root, await placeOf(root, one)));
    if (digestOf(Buffer.from(found)) === one.digest) return found;
    throw unsafe(`${one.digest} has other bytes`);
  };
  return {
    text,
    index: async () => parsed(await text("index.json")).manifests ?? [],
    image: async (one) => {
      const { config, layers, annotations } = parsed(await textOf(one));
      if (config == null || layers == null) throw unsafe("it has no image");
      return {
        config: await textOf(config),
        configType: config.mediaType,
        layers: await Promise.all(
          layers.map(async (descriptor) => ({ descriptor, file: await placeOf(root, descriptor) })),
        ),
        annotations: annotations ?? undefined,
      };
    },
  };
}

async function placeOf(root: string, { digest, size }: Descriptor): Promise<string> {
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
