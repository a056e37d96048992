import type { Descriptor } from "./descriptor.ts";
import { findManifest } from "./manifests.ts";
import { listReferrers } from "./referrers.ts";
import type { RegistryClient } from "./registry-client.ts";

export type AttachedKind = "signature" | "sbom" | "attestation";

/** Something that was said of an image by whoever may write to its repository. */
export type Attached = {
  readonly kind: AttachedKind;
  readonly digest: string;
  readonly media_type: string;
  readonly artifact_type: string;
  /** Of an attestation or SBOM, if it is told. */
  readonly predicate_type: string;
  /** Of which manifest: the image itself, or one of its platforms. */
  readonly subject: string;
  /** How it was found: the registry's list, a tag, or the index of the image. */
  readonly found_by: "referrers" | "tag" | "index";
};

/** What the types of referrers mean; the first row that matches counts. */
const kinds: readonly (readonly [RegExp, AttachedKind])[] = [
  [/cosign\.artifact\.sig|cncf\.notary\.signature|cosign\.simplesigning/, "signature"],
  [/spdx|cyclonedx|syft|sbom/i, "sbom"],
  [/in-toto|dsse|attestation|slsa/, "attestation"],
];
const cosignTags: readonly (readonly [string, AttachedKind])[] = [
  ["sig", "signature"],
  ["sbom", "sbom"],
  ["att", "attestation"],
];
const bundle = /sigstore\.bundle/;
const bundleContent = "dev.sigstore.bundle.content";
const predicateTypes = [
  "dev.sigstore.bundle.predicateType",
  "in-toto.io/predicate-type",
  "predicateType",
];

/**
 * Finds signatures, SBOMs and attestations of a manifest: by the list of what refers to it, and by the tags that cosign
 * gives, where `withTags` says so. Throws RegistryFault.
 */
export async function findAttached(
  client: RegistryClient,
  subject: string,
  withTags: boolean,
): Promise<Attached[]> {
  const found: Attached[] = [];
  for (const one of await listReferrers(client, subject)) {
    const predicate = predicateOf(one);
    const kind = kindOf(one, predicate);
    if (kind === undefined) continue;
    found.push({
      kind,
      digest: one.digest,
      media_type: one.mediaType,
      artifact_type: one.artifactType ?? "",
      predicate_type: predicate,
      subject,
      found_by: "referrers",
    });
  }
  return withTags ? [...found, ...(await taggedFor(client, subject))] : found;
}

async function taggedFor(client: RegistryClient, subject: string): Promise<Attached[]> {
  const found: Attached[] = [];
  for (const [suffix, kind] of cosignTags) {
    const manifest = await findManifest(client, `${subject.replace(":", "-")}.${suffix}`);
    if (manifest === undefined) continue;
    const { digest, mediaType, shape } = manifest;
    for (const layer of shape.layers ?? []) {
      found.push({
        kind,
        digest,
        media_type: mediaType,
        artifact_type: layer.mediaType,
        predicate_type: predicateOf(layer),
        subject,
        found_by: "tag",
      });
    }
  }
  return found;
}

function kindOf({ artifactType }: Descriptor, predicate: string): AttachedKind | undefined {
  const type = artifactType ?? "";
  if (bundle.test(type)) {
    // A bundle holds a signature of the image, or a signed statement.
    if (predicate === "" || /cosign\/sign/.test(predicate)) return "signature";
    return /spdx|cyclonedx/i.test(predicate) ? "sbom" : "attestation";
  }
  const kind = kinds.find(([pattern]) => pattern.test(type))?.[1];
  return kind === "attestation" && /spdx|cyclonedx/i.test(predicate) ? "sbom" : kind;
}

function predicateOf({ annotations }: Descriptor): string {
  if (annotations?.[bundleContent] === "message-signature") return "";
  const names = predicateTypes.filter((name) => annotations?.[name] !== undefined);
  return annotations?.[names[0] ?? ""] ?? "";
}
