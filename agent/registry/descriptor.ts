import { z } from "zod";

const text = z.string().nullish();

/** What a manifest says of a blob or of another manifest. */
export const descriptor = z.looseObject({
  mediaType: z.string().default(""),
  digest: z.string().regex(/^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/),
  size: z.int().nonnegative(),
  annotations: z.record(z.string(), z.string()).nullish(),
  artifactType: text,
  platform: z
    .looseObject({ os: text, architecture: text, variant: text, "os.version": text })
    .nullish(),
  /** Where a layer that no registry may have is fetched. */
  urls: z.array(z.string()).nullish(),
});
export type Descriptor = z.infer<typeof descriptor>;

/** Manifests of all kinds: of images and artifacts with `layers`, indexes with `manifests`. */
export const manifestShape = z.looseObject({
  schemaVersion: z.number().nullish(),
  mediaType: text,
  artifactType: text,
  config: descriptor.nullish(),
  layers: z.array(descriptor).nullish(),
  /** Of artifacts of an earlier draft. */
  blobs: z.array(descriptor).nullish(),
  manifests: z.array(descriptor).nullish(),
  subject: descriptor.nullish(),
  annotations: z.record(z.string(), z.string()).nullish(),
});
export type ManifestShape = z.infer<typeof manifestShape>;

/** The media types by which others know what a manifest is. */
export const mediaTypes = {
  manifest: "application/vnd.oci.image.manifest.v1+json",
  index: "application/vnd.oci.image.index.v1+json",
  artifact: "application/vnd.oci.artifact.manifest.v1+json",
  dockerManifest: "application/vnd.docker.distribution.manifest.v2+json",
  dockerList: "application/vnd.docker.distribution.manifest.list.v2+json",
  empty: "application/vnd.oci.empty.v1+json",
} as const;

const manifestTypes: readonly string[] = [
  mediaTypes.manifest,
  mediaTypes.index,
  mediaTypes.artifact,
  mediaTypes.dockerManifest,
  mediaTypes.dockerList,
];

/** Whether the media type is that of a manifest that names others. */
export const isIndexType = (mediaType: string): boolean =>
  mediaType === mediaTypes.index || mediaType === mediaTypes.dockerList;

/** Every manifest that is understood, for the Accept header. */
export const acceptedTypes = manifestTypes.join(", ");

/** Whether the media type is that of a manifest, not of a blob. */
export const isManifestType = (mediaType: string): boolean => manifestTypes.includes(mediaType);
