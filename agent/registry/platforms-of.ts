import type { Descriptor } from "./descriptor.ts";
import { jsonIn } from "./json-in.ts";
import { descriptorOf, type Manifest } from "./manifests.ts";
import { readBlob } from "./read-blob.ts";
import { readBounded } from "./read-bounded.ts";
import type { RegistryClient } from "./registry-client.ts";

/** A platform of an image. */
export type Platform = {
  readonly os: string;
  readonly architecture: string;
  readonly variant: string;
  readonly digest: string;
  readonly size: number;
};

const mostConfigBytes = 2 ** 20;

/** The platforms of an image; where it is for one, its config tells which. Throws RegistryFault. */
export async function platformsOf(client: RegistryClient, manifest: Manifest): Promise<Platform[]> {
  const { manifests, config } = manifest.shape;
  if (manifests != null) {
    return manifests
      .filter((one) => one.platform != null && !isAttestation(one))
      .map((one) => platformIn(one.platform ?? {}, one));
  }
  const isImage = config != null && /container\.image\.v1|image\.config/.test(config.mediaType);
  if (!isImage || config.size > mostConfigBytes) return [];
  const bytes = await readBounded(readBlob(client, config)(0), mostConfigBytes);
  const told = jsonIn(bytes ?? Buffer.from("{}")) as Named | null; // its members are checked
  return [platformIn(told ?? {}, descriptorOf(manifest))];
}

type Named = { readonly os?: unknown; readonly architecture?: unknown; readonly variant?: unknown };

function platformIn({ os, architecture, variant }: Named, { digest, size }: Descriptor): Platform {
  return { os: text(os), architecture: text(architecture), variant: text(variant), digest, size };
}

const text = (word: unknown): string => (typeof word === "string" ? word : "");

const referenceType = "vnd.docker.reference.type";

/** Whether an entry of an index is no platform but what a builder says of one. */
export const isAttestation = ({ annotations }: Descriptor): boolean =>
  annotations?.[referenceType] === "attestation-manifest";
