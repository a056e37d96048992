import { createReadStream } from "node:fs";
import { eachOf } from "../kubernetes/each-of.ts";
import { checkedBytes } from "./checked-bytes.ts";
import { type Descriptor, mediaTypes } from "./descriptor.ts";
import { digestOf } from "./digest-of.ts";
import { putManifest } from "./manifests.ts";
import { pushBlob } from "./push-blob.ts";
import { addReferrer } from "./referrers.ts";
import type { RegistryClient } from "./registry-client.ts";

/** A layer of an artifact: a file, as its digest and size say. */
export type ArtifactLayer = {
  readonly file: string;
  readonly mediaType: string;
  readonly size: number;
  readonly digest: string;
  readonly annotations?: Readonly<Record<string, string>>;
};

/** An artifact to push. Equal ones have equal manifests, whatever the order of annotations. */
export type Artifact = {
  readonly artifactType?: string;
  readonly config: { readonly mediaType: string; readonly bytes: Uint8Array };
  readonly layers: readonly ArtifactLayer[];
  readonly annotations?: Readonly<Record<string, string>>;
  /** What it says something about: then it is a referrer of that. */
  readonly subject?: Pick<Descriptor, "mediaType" | "digest" | "size">;
};

export type PushedArtifact = {
  readonly digest: string;
  readonly mediaType: string;
  readonly size: number;
};

/**
 * Pushes an artifact by a client with push access: its blobs first, then its manifest, under the tag if there is one.
 * Before all of it is there, nothing is under the tag. Throws RegistryFault.
 */
export async function pushArtifact(
  client: RegistryClient,
  artifact: Artifact,
  tag?: string,
): Promise<PushedArtifact> {
  const { artifactType, config, layers, subject, annotations } = artifact;
  const configBlob = { digest: digestOf(config.bytes), size: config.bytes.length };
  const blobs = [
    { ...configBlob, read: checkedBytes(configBlob, (from) => oneOf(config.bytes, from)) },
    ...layers.map(({ digest, size, file }) => ({
      digest,
      size,
      read: checkedBytes({ digest, size }, (start) => createReadStream(file, { start })),
    })),
  ];
  const once = new Map(blobs.map((blob) => [blob.digest, blob]));
  await eachOf([...once.values()], async (blob) => await pushBlob(client, blob));
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    ...(artifactType !== undefined && { artifactType }),
    config: { mediaType: config.mediaType, ...configBlob },
    layers: layers.map(({ mediaType, digest, size, annotations }) => ({
      mediaType,
      digest,
      size,
      ...sorted(annotations),
    })),
    ...(subject !== undefined && {
      subject: { mediaType: subject.mediaType, digest: subject.digest, size: subject.size },
    }),
    ...sorted(annotations),
  };
  const bytes = Buffer.from(JSON.stringify(manifest));
  const written = { digest: digestOf(bytes), mediaType: mediaTypes.manifest, bytes };
  const { hasReferrers } = await putManifest(client, tag ?? written.digest, written);
  const { digest, mediaType } = written;
  const pushed = { mediaType, digest, size: bytes.length };
  if (subject !== undefined && !hasReferrers) {
    const type = artifactType ?? config.mediaType;
    await addReferrer(client, subject.digest, {
      ...pushed,
      artifactType: type,
      ...sorted(annotations),
    });
  }
  return pushed;
}

async function* oneOf(bytes: Uint8Array, from: number): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes.subarray(from));
}

function sorted(annotations: Artifact["annotations"]) {
  if (annotations === undefined) return {};
  const names = Object.keys(annotations).toSorted();
  return { annotations: Object.fromEntries(names.map((name) => [name, annotations[name] ?? ""])) };
}
