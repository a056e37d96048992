import { createWriteStream } from "node:fs";
import { link, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import type { Descriptor } from "../registry/descriptor.ts";
import { getManifest } from "../registry/manifests.ts";
import { isAttestation } from "../registry/platforms-of.ts";
import { readBlob } from "../registry/read-blob.ts";
import type { RegistryClient } from "../registry/registry-client.ts";
import { RegistryFault } from "../registry/registry-fault.ts";
import { type BaseImage, shownPlatform, type WantedPlatform } from "./base-image.ts";

/** What has been pulled for a build, and what it may be altogether. */
export type Pulls = {
  readonly mostBytes: number;
  /** The files of the blobs so far. */
  readonly blobs: Map<string, string>;
  bytes: number;
};

export type PulledBase = {
  /** By which its registry knows it. */
  readonly digest: string;
  /** What it has a Dockerfile do that begins with it (`ONBUILD`). */
  readonly triggers: readonly string[];
};

const mostLayers = 1000;
const mostConfigBytes = 4 * 2 ** 20;
const configShape = z.looseObject({
  config: z.looseObject({ OnBuild: z.array(z.string()).nullish() }).nullish(),
});

/**
 * Pulls one platform of an image into a folder, in the form that containers' tools call `dir`, checked by its digests.
 * Blobs that another image has as well are not pulled again. Throws RegistryFault.
 */
export async function pullBase(
  client: RegistryClient,
  { reference, platform }: BaseImage,
  { folder, pulls }: { readonly folder: string; readonly pulls: Pulls },
): Promise<PulledBase> {
  const whole = await getManifest(client, reference.digest ?? reference.tag ?? "latest");
  const { manifests } = whole.shape;
  const one =
    manifests == null ? whole : await getManifest(client, chosen(manifests, platform).digest);
  const { config, layers } = one.shape;
  const isImage = config != null && layers != null && layers.length <= mostLayers;
  if (!isImage || config.size > mostConfigBytes)
    throw new RegistryFault("unsafe", "it is no image");
  await mkdir(folder, { recursive: true, mode: 0o755 });
  for (const blob of [config, ...layers]) await pullBlob(client, blob, { folder, pulls });
  await writeFile(path.join(folder, "manifest.json"), one.bytes, { mode: 0o644 });
  await writeFile(path.join(folder, "version"), "Directory Transport Version: 1.1\n", {
    mode: 0o644,
  });
  return { digest: whole.digest, triggers: await triggersIn(fileOf(folder, config)) };
}

async function triggersIn(config: string): Promise<readonly string[]> {
  try {
    const found = configShape.parse(JSON.parse(await readFile(config, "utf8")));
    return found.config?.OnBuild ?? [];
  } catch {
    throw new RegistryFault("unsafe", "it is no image: its config cannot be read");
  }
}

/** Digests are checked where manifests are read: they lead nowhere else. */
const fileOf = (folder: string, { digest }: Descriptor): string =>
  path.join(folder, digest.split(":")[1] ?? "");

function chosen(all: readonly Descriptor[], wanted: WantedPlatform): Descriptor {
  const images = all.filter((one) => one.platform != null && !isAttestation(one));
  const fits = images.filter(
    ({ platform }) => platform?.os === wanted.os && platform.architecture === wanted.architecture,
  );
  const exact = fits.find(({ platform }) => (platform?.variant ?? "") === wanted.variant);
  const found = exact ?? (wanted.variant === "" ? fits[0] : undefined);
  if (found !== undefined) return found;
  const known = images.map(({ platform }) =>
    [platform?.os, platform?.architecture, platform?.variant].filter(Boolean).join("/"),
  );
  const words = `it is not for ${shownPlatform(wanted)}, but for ${known.slice(0, 20).join(", ") || "nothing"}`;
  throw new RegistryFault("not_found", words);
}

type Into = { readonly folder: string; readonly pulls: Pulls };

async function pullBlob(
  client: RegistryClient,
  blob: Descriptor,
  { folder, pulls }: Into,
): Promise<void> {
  const file = fileOf(folder, blob);
  const known = pulls.blobs.get(blob.digest);
  if (known === file) return;
  if (known !== undefined) return await link(known, file);
  pulls.bytes += blob.size;
  if (pulls.bytes > pulls.mostBytes) {
    const words = `it and the images before it have over ${pulls.mostBytes} bytes (build-disk)`;
    throw new RegistryFault("too_large", words);
  }
  await pipeline(readBlob(client, blob)(0), createWriteStream(file, { mode: 0o644 }));
  pulls.blobs.set(blob.digest, file);
}
