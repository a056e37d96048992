import type { Copied } from "../../registry/copy-image.ts";
import { type ImageMetadata, readImageMetadata } from "../../registry/image-metadata.ts";
import type { Manifest } from "../../registry/manifests.ts";
import { platformsOf } from "../../registry/platforms-of.ts";
import type { RegistryClient } from "../../registry/registry-client.ts";
import { RegistryFault } from "../../registry/registry-fault.ts";
import type { ImageOrder, ImagePlace, ImageTold } from "./image-order.ts";

type Source = {
  readonly from: ImagePlace;
  readonly manifest: Manifest;
  readonly client: RegistryClient;
  /** Empty where a digest was named. */
  readonly tag: string;
};

const hostOf = ({ origin }: ImagePlace): string => new URL(origin).host;
const nameOf = (place: ImagePlace): string => `${hostOf(place)}/${place.repository}`;

/** What a copy, or an image that was taken over, tells; without `copied` nothing was new. */
export async function imageOutputs(
  { does, to }: ImageOrder,
  { from, manifest, client, tag }: Source,
  copied?: Copied,
): Promise<ImageTold> {
  const { digest, mediaType, bytes, shape } = manifest;
  const facts = { digest, media_type: mediaType, size: bytes.length };
  const source = {
    source_image: nameOf(from),
    resolved_tag: tag,
    source_digest: digest,
    source_media_type: mediaType,
    resolved_at: new Date().toISOString(),
  };
  const looked = does.kind === "pull" ? await lookedAt(client, manifest) : {};
  if (copied === undefined || to === undefined || does.kind === "metadata") {
    const words = `${nameOf(from)} is still ${digest}: nothing is copied.`;
    return { outputs: { ...facts, ...source, ...looked, no_op: true }, words };
  }
  const image = {
    registry: hostOf(to),
    repository: nameOf(to),
    tag: does.tag,
    ...facts,
    artifact_type: shape.artifactType ?? "",
    annotations: shape.annotations ?? {},
    urls: [],
    platforms: await platformsOf(client, manifest),
  };
  const { blobs, bytes: sent, isThere } = copied;
  const outputs = {
    image,
    ...facts,
    ...source,
    ...looked,
    ...(does.kind === "pull" && { no_op: false }),
    copied_blobs: blobs,
    copied_bytes: sent,
  };
  const words = isThere
    ? `${image.repository}:${does.tag} is ${digest} already.`
    : `${image.repository}:${does.tag} is ${digest}: ${blobs} blobs were copied, ${sent} bytes.`;
  return { outputs, words };
}

type Attached = ImageMetadata["attached"];

/** What policies read of an image: nothing of it is verified. */
function seenIn(attached: Attached) {
  const has = (kind: string): boolean => attached.some((one) => one.kind === kind);
  const said = attached.filter(({ kind }) => kind === "attestation");
  return {
    signed: has("signature"),
    sbom: has("sbom"),
    attestations: [...new Set(said.map(({ predicate_type }) => predicate_type))],
  };
}

/** The same of an image that was taken over; nothing where its registry does not tell. */
async function lookedAt(client: RegistryClient, manifest: Manifest): Promise<object> {
  try {
    const flags = { withIndex: false, withManifests: false, withLayers: false };
    return { metadata: seenIn((await readImageMetadata(client, manifest, flags)).attached) };
  } catch (error) {
    if (error instanceof RegistryFault) return {};
    throw error;
  }
}

/** By what an image that is looked at was found. */
type Wanted = {
  /** A tag or a digest. */
  readonly wanted: string;
  /** By which it was chosen, if any. */
  readonly policy: string | undefined;
};

const foundBy = ({ wanted, policy }: Wanted) => ({
  tag: wanted.includes(":") ? "" : wanted,
  ...(policy !== undefined && { update_policy: policy }),
});

/** What is told of an image of which nothing but the digest was asked. */
export function digestOutputs(
  from: ImagePlace,
  { digest, ...found }: Wanted & { readonly digest: string },
): ImageTold {
  const place = { image: nameOf(from), registry: hostOf(from), repository: from.repository };
  const words = `${nameOf(from)}:${found.wanted} is ${digest}.`;
  return { outputs: { ...place, ...foundBy(found), digest }, words };
}

/** What is told of an image that was looked at. */
export function metadataOutputs(from: ImagePlace, found: ImageMetadata & Wanted): ImageTold {
  const { attached, index, manifests, layers, wanted, policy, ...facts } = found;
  const of = (kind: string) => attached.filter((one) => one.kind === kind);
  const [signatures, sboms, attestations] = [of("signature"), of("sbom"), of("attestation")];
  const outputs = {
    image: nameOf(from),
    registry: hostOf(from),
    repository: from.repository,
    ...(policy === undefined ? { tag: from.tag ?? "" } : foundBy({ wanted, policy })),
    ...facts,
    signatures,
    sboms,
    attestations,
    metadata: seenIn(attached),
    ...(index !== undefined && { index }),
    ...(manifests !== undefined && { attestation_manifests: manifests }),
    ...(layers !== undefined && { attestation_layers: layers }),
  };
  const counts = `${signatures.length} signatures, ${sboms.length} SBOMs, ${attestations.length} attestations`;
  return { outputs, words: `${nameOf(from)} is ${found.digest}: ${counts}.` };
}
