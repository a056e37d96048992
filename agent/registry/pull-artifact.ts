import { createWriteStream } from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import type { Descriptor } from "./descriptor.ts";
import { getManifest } from "./manifests.ts";
import { readBlob } from "./read-blob.ts";
import type { Reference } from "./reference.ts";
import type { RegistryClient } from "./registry-client.ts";
import { RegistryFault } from "./registry-fault.ts";

/** A layer of an artifact on disk. */
export type PulledLayer = {
  readonly file: string;
  readonly mediaType: string;
  /** The name that was given when it was pushed; may be empty. */
  readonly title: string;
  /** Whether it is a packed folder. */
  readonly isPackedFolder: boolean;
};

export type PulledArtifact = { readonly digest: string; readonly layers: readonly PulledLayer[] };

const mostLayers = 1000;

/** Downloads the layers of an artifact into a folder, and checks each against the digest and size in its manifest. */
export async function pullArtifact(
  client: RegistryClient,
  { tag, digest }: Pick<Reference, "tag" | "digest">,
  { folder, mostBytes }: { readonly folder: string; readonly mostBytes: number },
): Promise<PulledArtifact> {
  const found = await findLayers(client, digest ?? tag ?? "");
  const layers = found.layers ?? [];
  const bytes = layers.reduce((sum, { size }) => sum + size, 0);
  if (bytes > mostBytes || layers.length > mostLayers) {
    throw new RegistryFault(
      "too_large",
      `its ${layers.length} layers have ${bytes} bytes; the limit is ${mostBytes}`,
    );
  }
  const pulled: PulledLayer[] = [];
  for (const [at, layer] of layers.entries()) {
    const file = path.join(folder, `layer-${at}`);
    await pipeline(readBlob(client, layer)(0), createWriteStream(file, { mode: 0o600 }));
    const { annotations } = layer;
    pulled.push({
      file,
      mediaType: layer.mediaType,
      title: annotations?.["org.opencontainers.image.title"] ?? "",
      isPackedFolder: annotations?.["io.deis.oras.content.unpack"] === "true",
    });
  }
  return { digest: found.digest, layers: pulled };
}

type Found = { readonly digest: string; readonly layers: readonly Descriptor[] | null | undefined };

/** For an index with one manifest, that manifest. */
async function findLayers(client: RegistryClient, wanted: string): Promise<Found> {
  const { digest, shape } = await getManifest(client, wanted);
  const { layers, manifests } = shape;
  if (manifests == null) return { digest, layers };
  const [only, ...others] = manifests;
  if (only === undefined || others.length > 0) {
    throw new RegistryFault(
      "not_found",
      `it is an index of ${manifests.length} artifacts: choose one by its digest`,
    );
  }
  return { digest, layers: (await getManifest(client, only.digest)).shape.layers };
}
