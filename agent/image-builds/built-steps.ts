import { readdir } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { Descriptor } from "../registry/descriptor.ts";
import { digestOf } from "../registry/digest-of.ts";
import { layoutFiles } from "./layout-files.ts";

/** A step of a build as an image of its own, by which the builder finds it again. */
export type BuiltStep = {
  readonly config: Buffer;
  /** The manifest as the builder has it, whose layers are to be those below. */
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly layers: readonly BuiltLayer[];
};
type BuiltLayer = { readonly descriptor: Descriptor; readonly file: string };

const mostSteps = 300;
const shape = z.looseObject({ rootfs: z.looseObject({ diff_ids: z.array(z.string()).max(1000) }) });
const manifestOf = z.looseObject({ config: z.looseObject({ digest: z.string() }) });

/**
 * Reads the steps that a build has left in its storage: its config and manifest are in `steps`, and the layers are those of
 * the images that were written to the OCI layouts `out` and `steps/layout`. What is not whole is left out. The first ones
 * are those that others are made of.
 */
export async function readSteps(storage: string): Promise<BuiltStep[]> {
  const folder = path.join(storage, "steps");
  const names = (await readdir(path.join(folder, "configs")).catch(() => [])).slice(0, mostSteps);
  const chains = new Map<string, readonly BuiltLayer[]>();
  for (const layout of [path.join(storage, "out"), path.join(folder, "layout")])
    await addChains(layout, chains);
  const files = await layoutFiles(folder).catch(() => undefined);
  const found: (BuiltStep & { readonly length: number })[] = [];
  for (const name of names) {
    const text = await files?.text(path.join("configs", name)).catch(() => undefined);
    const ids = text === undefined ? undefined : diffIdsIn(text);
    const layers = ids?.length === 0 ? [] : chains.get(ids?.join(" ") ?? "");
    if (text === undefined || layers === undefined) continue;
    const config = Buffer.from(text);
    const isPlain = layers.every(({ descriptor: { digest } }) => digest.startsWith("sha256:"));
    if (digestOf(config) !== `sha256:${name}` || !isPlain) continue;
    const told = await files?.text(path.join("manifests", name)).catch(() => undefined);
    const manifest = manifestIn(told ?? "");
    if (manifest?.config.digest !== `sha256:${name}`) continue;
    found.push({ config, manifest, layers, length: text.length });
  }
  return found.toSorted(
    (one, other) => one.layers.length - other.layers.length || one.length - other.length,
  );
}

/** The layers of each beginning of an image's. */
async function addChains(
  layout: string,
  chains: Map<string, readonly BuiltLayer[]>,
): Promise<void> {
  const files = await layoutFiles(layout).catch(() => undefined);
  const all = await files?.index().catch(() => []); // nothing was written to it
  for (const one of all ?? []) {
    const image = await files?.image(one).catch(() => undefined);
    const ids = image === undefined ? [] : (diffIdsIn(image.config) ?? []);
    if (image === undefined || ids.length !== image.layers.length) continue;
    for (const [at] of ids.entries())
      chains.set(ids.slice(0, at + 1).join(" "), image.layers.slice(0, at + 1));
  }
}

function manifestIn(text: string): z.infer<typeof manifestOf> | undefined {
  try {
    return manifestOf.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function diffIdsIn(text: string): readonly string[] | undefined {
  try {
    return shape.parse(JSON.parse(text)).rootfs.diff_ids;
  } catch {
    return undefined;
  }
}
