import type { ManifestShape } from "./descriptor.ts";
import { type Attached, findAttached } from "./find-attached.ts";
import { jsonIn } from "./json-in.ts";
import { findManifest, getManifest, type Manifest } from "./manifests.ts";
import { isAttestation, type Platform, platformsOf } from "./platforms-of.ts";
import { readBlob } from "./read-blob.ts";
import { readBounded } from "./read-bounded.ts";
import type { RegistryClient } from "./registry-client.ts";

/** What is told besides. */
export type MetadataFlags = {
  /** The index itself. */
  readonly withIndex: boolean;
  /** The manifests of attestations. */
  readonly withManifests: boolean;
  /** What the layers of attestations say. */
  readonly withLayers: boolean;
};

export type ImageMetadata = {
  readonly digest: string;
  readonly media_type: string;
  readonly size: number;
  readonly artifact_type: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly platforms: readonly Platform[];
  readonly attached: readonly Attached[];
  readonly index?: unknown;
  readonly manifests?: readonly unknown[];
  readonly layers?: readonly { readonly digest: string; readonly content: unknown }[];
};

const mostLookedAt = 32;
const mostLayerBytes = 2 ** 20;
const mostLayersBytes = 6 * 2 ** 20;

/**
 * Tells what a registry knows of an image: its platforms, and what signatures, SBOMs and attestations there are, of
 * which nothing is verified. Throws RegistryFault.
 */
export async function readImageMetadata(
  client: RegistryClient,
  manifest: Manifest,
  flags: MetadataFlags,
): Promise<ImageMetadata> {
  const { digest, mediaType, bytes, shape } = manifest;
  const platforms = await platformsOf(client, manifest);
  const subjects = [digest, ...platforms.map((platform) => platform.digest)];
  const within = await attestedWithin(client, shape);
  const attached = [...within];
  for (const subject of [...new Set(subjects)].slice(0, mostLookedAt))
    attached.push(...(await findAttached(client, subject, subject === digest)));
  const { withIndex, withManifests, withLayers } = flags;
  const found = withManifests || withLayers ? await manifestsOf(client, attached) : [];
  return {
    digest,
    media_type: mediaType,
    size: bytes.length,
    artifact_type: shape.artifactType ?? "",
    annotations: shape.annotations ?? {},
    platforms,
    attached,
    ...(withIndex && shape.manifests != null && { index: jsonIn(bytes) }),
    ...(withManifests && {
      manifests: found.map((one) => ({ digest: one.digest, manifest: jsonIn(one.bytes) })),
    }),
    ...(withLayers && { layers: await layersOf(client, found) }),
  };
}

const referenceDigest = "vnd.docker.reference.digest";
const predicateType = "in-toto.io/predicate-type";

/** Builders put attestations into the index itself, one manifest a platform, one layer a statement. */
async function attestedWithin(client: RegistryClient, shape: ManifestShape): Promise<Attached[]> {
  const found: Attached[] = [];
  const entries = (shape.manifests ?? []).filter(isAttestation).slice(0, mostLookedAt);
  for (const entry of entries) {
    const inner = await getManifest(client, entry.digest);
    for (const layer of inner.shape.layers ?? []) {
      const predicate = layer.annotations?.[predicateType] ?? "";
      found.push({
        kind: /spdx|cyclonedx/i.test(predicate) ? "sbom" : "attestation",
        digest: entry.digest,
        media_type: inner.mediaType,
        artifact_type: layer.mediaType,
        predicate_type: predicate,
        subject: entry.annotations?.[referenceDigest] ?? "",
        found_by: "index",
      });
    }
  }
  return found;
}

async function manifestsOf(client: RegistryClient, attached: readonly Attached[]) {
  const said = attached.filter(({ kind }) => kind !== "signature").map(({ digest }) => digest);
  const found: Manifest[] = [];
  for (const digest of [...new Set(said)].slice(0, mostLookedAt)) {
    const manifest = await findManifest(client, digest);
    if (manifest !== undefined) found.push(manifest);
  }
  return found;
}

/** What statements say, as far as they are JSON, and not more of it than a result may hold. */
async function layersOf(client: RegistryClient, manifests: readonly Manifest[]) {
  const layers = manifests.flatMap(({ shape }) => shape.layers ?? []);
  const found: { readonly digest: string; readonly content: unknown }[] = [];
  let left = mostLayersBytes;
  for (const layer of layers) {
    if (layer.size > Math.min(left, mostLayerBytes) || !/json|dsse/.test(layer.mediaType)) continue;
    left -= layer.size;
    const bytes = await readBounded(readBlob(client, layer)(0), mostLayerBytes);
    if (bytes !== undefined) found.push({ digest: layer.digest, content: jsonIn(bytes) });
  }
  return found;
}
