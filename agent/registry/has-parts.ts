import { eachOf } from "../kubernetes/each-of.ts";
import { isIndexType } from "./descriptor.ts";
import { findDigest, findManifest, type Manifest } from "./manifests.ts";
import type { RegistryClient } from "./registry-client.ts";

const mostDepth = 4;

/** Whether a registry has the manifests that one names, and those that these name: one of them may have been deleted by itself. Throws RegistryFault. */
export async function hasParts(
  client: RegistryClient,
  { shape: { manifests } }: Pick<Manifest, "shape">,
  depth = 0,
): Promise<boolean> {
  if (depth > mostDepth) return false;
  const has = async ({ digest, mediaType }: { digest: string; mediaType: string }) => {
    if (!isIndexType(mediaType)) return (await findDigest(client, digest)) === digest;
    const inner = await findManifest(client, digest);
    return inner !== undefined && (await hasParts(client, inner, depth + 1));
  };
  return (await eachOf(manifests ?? [], has, { most: 4 })).every(Boolean);
}
