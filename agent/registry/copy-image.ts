import { eachOf } from "../kubernetes/each-of.ts";
import { type Descriptor, isIndexType } from "./descriptor.ts";
import { hasParts } from "./has-parts.ts";
import { descriptorOf, findDigest, getManifest, type Manifest, putManifest } from "./manifests.ts";
import { pushBlob } from "./push-blob.ts";
import { readBlob } from "./read-blob.ts";
import { addReferrer } from "./referrers.ts";
import type { RegistryClient } from "./registry-client.ts";
import { RegistryFault } from "./registry-fault.ts";

/** A copy: from where, to where, and under which tag. */
export type ImageCopy = {
  readonly from: RegistryClient;
  readonly to: RegistryClient;
  /** The manifest as it was looked at: a tag that moves meanwhile changes nothing. */
  readonly manifest: Manifest;
  readonly tag: string;
  /** Takes lines for people. */
  readonly say: (line: string) => void;
};

export type Copied = { readonly blobs: number; readonly bytes: number; readonly isThere: boolean };

const blobsAtOnce = 4;
const mostDepth = 4;
const mostManifests = 1000;
/** Layers that licences keep where they are; whoever pulls fetches them there. */
const isForeign = ({ mediaType, urls }: Descriptor): boolean =>
  (urls?.length ?? 0) > 0 && /foreign|nondistributable/.test(mediaType);

/**
 * Copies an image, an index with all its platforms, or any artifact, byte for byte: blobs first, then the manifests that
 * name them, and the tag last. What is there already is not copied. Throws RegistryFault.
 */
export async function copyImage(copy: ImageCopy): Promise<Copied> {
  const { to, manifest, tag, say } = copy;
  if ((await findDigest(to, tag)) === manifest.digest && (await hasParts(to, manifest))) {
    say(`${tag} is ${manifest.digest} already`);
    return { blobs: 0, bytes: 0, isThere: true };
  }
  const done = { seen: new Set<string>(), manifests: 0, blobs: 0, bytes: 0 };
  await copyParts(copy, manifest, { done, depth: 0 });
  await write(to, tag, manifest);
  return { blobs: done.blobs, bytes: done.bytes, isThere: false };
}

type Progress = {
  readonly done: { readonly seen: Set<string>; manifests: number; blobs: number; bytes: number };
  readonly depth: number;
};

/** Everything that a manifest names, one platform after the other. */
async function copyParts(copy: ImageCopy, manifest: Manifest, progress: Progress): Promise<void> {
  const { done, depth } = progress;
  if (depth > mostDepth) throw new RegistryFault("unsafe", "its indexes are nested too deeply");
  const { config, layers, blobs, manifests } = manifest.shape;
  const named = [...(config ? [config] : []), ...(layers ?? []), ...(blobs ?? [])];
  const fresh = named.filter((blob) => !done.seen.has(blob.digest) && !isForeign(blob));
  const once = new Map(fresh.map((blob) => [blob.digest, blob]));
  const atOnce = { most: blobsAtOnce };
  await eachOf([...once.values()], async (blob) => await copyBlob(copy, blob, progress), atOnce);
  for (const child of manifests ?? []) {
    if (done.seen.has(child.digest)) continue;
    done.seen.add(child.digest);
    done.manifests += 1;
    if (done.manifests > mostManifests)
      throw new RegistryFault("too_large", `it has more than ${mostManifests} manifests`);
    const isThere = (await findDigest(copy.to, child.digest)) === child.digest;
    if (isThere && !isIndexType(child.mediaType)) continue;
    const inner = await getManifest(copy.from, child.digest);
    await copyParts(copy, inner, { done, depth: depth + 1 });
    if (!isThere) await write(copy.to, inner.digest, inner);
  }
}

async function copyBlob(
  { from, to, say }: ImageCopy,
  blob: Descriptor,
  { done }: Progress,
): Promise<void> {
  const { digest, size } = blob;
  const isNeighbour = from.origin === to.origin && from.repository !== to.repository;
  const mountsFrom = isNeighbour ? from.repository : undefined;
  const how = await pushBlob(to, { digest, size, read: readBlob(from, blob) }, mountsFrom);
  done.seen.add(digest);
  if (how !== "there") done.blobs += 1;
  if (how === "pushed") done.bytes += size;
  const short = digest.slice(0, digest.indexOf(":") + 13);
  say(`${short}: ${size} bytes ${how === "there" ? "are there already" : how}`);
}

async function write(to: RegistryClient, name: string, manifest: Manifest): Promise<void> {
  const { hasReferrers } = await putManifest(to, name, manifest);
  const { subject, artifactType, config, annotations } = manifest.shape;
  if (!subject || hasReferrers) return;
  const type = artifactType || config?.mediaType;
  await addReferrer(to, subject.digest, {
    ...descriptorOf(manifest),
    ...(type && { artifactType: type }),
    ...(annotations && { annotations }),
  });
}
