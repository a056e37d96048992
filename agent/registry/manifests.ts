import {
  acceptedTypes,
  type Descriptor,
  isManifestType,
  type ManifestShape,
  manifestShape,
  mediaTypes,
} from "./descriptor.ts";
import { algorithmOf, digestOf } from "./digest-of.ts";
import type { RegistryAnswer } from "./exchange.ts";
import { readBounded } from "./read-bounded.ts";
import type { RegistryClient } from "./registry-client.ts";
import { differs, RegistryFault } from "./registry-fault.ts";

/** A manifest as its registry has it, byte for byte. */
export type Manifest = {
  readonly digest: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly shape: ManifestShape;
};

const mostManifestBytes = 4 * 2 ** 20;

/** Reads a manifest by its tag or digest, and checks it against the digest. Throws RegistryFault. */
export async function getManifest(client: RegistryClient, wanted: string): Promise<Manifest> {
  return await read(await client.get(`manifests/${wanted}`, { accept: acceptedTypes }), wanted);
}

/** The same; undefined when the registry does not have it. */
export async function findManifest(
  client: RegistryClient,
  wanted: string,
): Promise<Manifest | undefined> {
  const at = `manifests/${wanted}`;
  const answer = await client.ask({ at, headers: { accept: acceptedTypes } });
  if (answer.status === 200) return await read(answer, wanted);
  if (answer.status !== 404) throw await client.refusal(answer);
  answer.body.destroy();
  return undefined;
}

/** The digest that a tag has now, without its manifest; undefined when the registry does not have it, or does not say. */
export async function findDigest(
  client: RegistryClient,
  wanted: string,
): Promise<string | undefined> {
  const at = `manifests/${wanted}`;
  const answer = await client.ask({ method: "HEAD", at, headers: { accept: acceptedTypes } });
  answer.body.resume();
  if (answer.status === 200) return digestTold(answer);
  if (answer.status === 404) return undefined;
  throw await client.refusal(answer);
}

/** Whether the registry itself keeps the list of what refers to others. */
export type Put = { readonly hasReferrers: boolean };

/** Writes a manifest under a tag or its digest. Throws RegistryFault. */
export async function putManifest(
  client: RegistryClient,
  name: string,
  { digest, mediaType, bytes }: Pick<Manifest, "digest" | "mediaType" | "bytes">,
): Promise<Put> {
  const headers = { "content-type": mediaType };
  const answer = await client.ask({
    method: "PUT",
    at: `manifests/${name}`,
    headers,
    body: bytes,
  });
  if (answer.status !== 201 && answer.status !== 200 && answer.status !== 202)
    throw await client.refusal(answer);
  answer.body.resume();
  const told = digestTold(answer);
  if (told !== undefined && algorithmOf(told) === algorithmOf(digest) && told !== digest)
    throw differs("what it keeps of the manifest", digest, told);
  return { hasReferrers: answer.headers["oci-subject"] !== undefined };
}

/** What a manifest is called in others. */
export function descriptorOf({ mediaType, digest, bytes }: Manifest): Descriptor {
  return { mediaType, digest, size: bytes.length };
}

async function read(answer: RegistryAnswer, wanted: string): Promise<Manifest> {
  const bytes = await readBounded(answer.body, mostManifestBytes).catch(() => {
    throw new RegistryFault(
      "network",
      "the registry closed the connection in the middle of a manifest",
    );
  });
  if (bytes === undefined)
    throw new RegistryFault("too_large", "its manifest is larger than 4 MiB");
  const told = wanted.includes(":") ? wanted : digestTold(answer);
  const digest = digestOf(bytes, told === undefined ? "sha256" : algorithmOf(told));
  if (told !== undefined && told !== digest) throw differs("its manifest", told, digest);
  const shape = parsed(bytes);
  return { digest, mediaType: typeOf(shape, answer), bytes, shape };
}

function digestTold({ headers }: RegistryAnswer): string | undefined {
  const told = headers["docker-content-digest"];
  return typeof told === "string" && /^sha(?:256|512):[0-9a-f]+$/.test(told) ? told : undefined;
}

function parsed(bytes: Buffer): ManifestShape {
  const shape = manifestIn(bytes.toString("utf8"));
  if (shape.schemaVersion !== 1) return shape;
  throw new RegistryFault(
    "unsafe",
    "its manifest has the outdated schema 1, which names no digests: push it anew",
  );
}

function manifestIn(text: string): ManifestShape {
  try {
    return manifestShape.parse(JSON.parse(text));
  } catch {
    throw new RegistryFault("unsafe", "its manifest is invalid");
  }
}

/** What the manifest says itself goes before what its registry says. */
function typeOf({ mediaType, manifests }: ManifestShape, { headers }: RegistryAnswer): string {
  const told = (headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
  if (mediaType) return mediaType;
  if (isManifestType(told)) return told;
  return manifests == null ? mediaTypes.manifest : mediaTypes.index;
}
