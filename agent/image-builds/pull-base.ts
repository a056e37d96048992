import { createWriteStream } from "node:fs";
import { link, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
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

const mostLayers = 1000;

/**
 * Pulls one platform of an image into a folder, in the form that containers' tools call `dir`, checked by its digests.
 * Blobs that another image has as well are not pulled again. Answers the digest that its registry knows it by. Throws
 * RegistryFault.
 */
export async function pullBase(
  client: RegistryClient,
  { reference, platform }: BaseImage,
  { folder, pulls }: { readonly folder: string; readonly pulls: Pulls },
): Promise<string> {
  const whole = await getManifest(client, reference.digest ?? reference.tag ?? "latest");
  const { manifests } = whole.shape;
  const one =
    manifests == null ? whole : await getManifest(client, chosen(manifests, platform).digest);
  const { config, layers } = one.shape;
  const isImage = config != null && layers != null && layers.length <= mostLayers;
  if (!isImage) throw new RegistryFault("unsafe", "it is no image");
  await mkdir(folder, { recursive: true, mode: 0o755 });
  for (const blob of [config, ...layers]) await pullBlob(client, blob, { folder, pulls });
  await writeFile(path.join(folder, "manifest.json"), one.bytes, { mode: 0o644 });
  await writeFile(path.join(folder, "version"), "Directory Transport Version: 1.1\n", {
    mode: 0o644,
  });
  return whole.digest;
}

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
  // Digests are checked where manifests are read: they lead nowhere else.
  const file = path.join(folder, blob.digest.split(":")[1] ?? "");
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
