import type { RegistryConfig } from "../registry/registry-settings.ts";
import type { DeployedArtifact } from "../workflows/machine/deploy-rows.ts";
import type { ArtifactPlace } from "./deploy-order.ts";

/** Where a build's artifact is; undefined of what has none. */
export function placeOfArtifact(
  { registry: known, repository: named = "", tag = "", digest }: DeployedArtifact,
  registry: RegistryConfig | undefined,
): ArtifactPlace | undefined {
  if (digest === undefined) return undefined;
  const at = known === undefined ? named.indexOf("/") : -1;
  const server = known ?? named.slice(0, at);
  const repository = known === undefined ? named.slice(at + 1) : named;
  const plainHttp = server === registry?.server && registry.isPlain;
  return { server, repository, tag, digest, plainHttp };
}
