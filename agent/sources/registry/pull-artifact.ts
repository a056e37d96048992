import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { SourceFault } from "../source-failure.ts";
import type { Reference } from "./reference.ts";
import type { RegistryClient } from "./registry-client.ts";

const descriptor = z.looseObject({
  mediaType: z.string().default(""),
  digest: z.string().regex(/^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/),
  size: z.int().nonnegative(),
  annotations: z.record(z.string(), z.string()).nullish(),
  platform: z.looseObject({ os: z.string().nullish() }).nullish(),
});
type Descriptor = z.infer<typeof descriptor>;
const manifestShape = z.looseObject({
  layers: z.array(descriptor).nullish(),
  manifests: z.array(descriptor).nullish(),
});

/** A layer of an artifact on disk. */
export type PulledLayer = {
  readonly file: string;
  readonly mediaType: string;
  /** The name that was given when it was pushed; may be empty. */
  readonly title: string;
  /** Whether it is a packed folder. */
  readonly isPackedFolder: boolean;
};

export type PulledArtifact = { readonly digest: string; readonly layers: readonly PulledLayer[] };

const manifestTypes = [
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
].join(", ");
const mostManifestBytes = 4 * 2 ** 20;
const mostLayers = 1000;

/** Downloads the layers of an artifact into a folder, and checks each against the digest and size in its manifest. */
export async function pullArtifact(
  client: RegistryClient,
  { tag, digest }: Pick<Reference, "tag" | "digest">,
  { folder, mostBytes }: { readonly folder: string; readonly mostBytes: number },
): Promise<PulledArtifact> {
  const found = await findManifest(client, digest ?? tag ?? "");
  const layers = found.layers ?? [];
  const bytes = layers.reduce((sum, { size }) => sum + size, 0);
  if (bytes > mostBytes || layers.length > mostLayers) {
    throw new SourceFault(
      "too_large",
      `its ${layers.length} layers have ${bytes} bytes; the limit is ${mostBytes}`,
    );
  }
  const pulled: PulledLayer[] = [];
  for (const [at, layer] of layers.entries()) {
    const file = path.join(folder, `layer-${at}`);
    await pullBlob(client, layer, file);
    const { annotations } = layer;
    pulled.push({
      file,
      mediaType: layer.mediaType,
      title: annotations?.["org.opencontainers.image.title"] ?? "",
      isPackedFolder: annotations?.["io.deis.oras.content.unpack"] === "true",
    });
  }
  return { digest: found.digest, layers: pulled };
}

type Found = { readonly digest: string; readonly layers: readonly Descriptor[] | null | undefined };

/** For an index with one manifest, that manifest. */
async function findManifest(client: RegistryClient, wanted: string): Promise<Found> {
  const { digest, text } = await getManifest(client, wanted);
  const { layers, manifests } = parsed(text);
  if (manifests == null) return { digest, layers };
  const [only, ...others] = manifests;
  if (only === undefined || others.length > 0) {
    throw new SourceFault(
      "not_found",
      `it is an index of ${manifests.length} artifacts: choose one by its digest`,
    );
  }
  const inner = parsed((await getManifest(client, only.digest)).text);
  return { digest, layers: inner.layers };
}

function parsed(text: string): z.infer<typeof manifestShape> {
  try {
    return manifestShape.parse(JSON.parse(text));
  } catch {
    throw new SourceFault("unsafe", "its manifest is invalid");
  }
}

async function getManifest(
  client: RegistryClient,
  wanted: string,
): Promise<{ digest: string; text: string }> {
  const answer = await client.get(`manifests/${wanted}`, { accept: manifestTypes });
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body) {
    bytes += piece.length;
    if (bytes > mostManifestBytes)
      throw new SourceFault("too_large", "its manifest is larger than 4 MiB");
    pieces.push(piece);
  }
  const whole = Buffer.concat(pieces);
  const told = wanted.includes(":") ? wanted : answer.headers.get("docker-content-digest");
  const [kind = "sha256"] = (told ?? "").split(":");
  const digest = `sha256:${createHash("sha256").update(whole).digest("hex")}`;
  const own =
    kind === "sha512" ? `sha512:${createHash("sha512").update(whole).digest("hex")}` : digest;
  if (told !== null && told !== "" && told !== own) throw differs("its manifest", told, own);
  return { digest, text: whole.toString("utf8") };
}

async function pullBlob(
  client: RegistryClient,
  { digest, size }: Descriptor,
  file: string,
): Promise<void> {
  const answer = await client.get(`blobs/${digest}`);
  const [kind = "sha256"] = digest.split(":");
  const hash = createHash(kind);
  let bytes = 0;
  async function* checked(): AsyncGenerator<Uint8Array> {
    for await (const piece of answer.body) {
      bytes += piece.length;
      if (bytes > size)
        throw new SourceFault("digest", `a layer is larger than the ${size} bytes in its manifest`);
      hash.update(piece);
      yield piece;
    }
  }
  try {
    await pipeline(checked, createWriteStream(file, { mode: 0o600 }));
  } catch (error) {
    if (error instanceof SourceFault || "syscall" in (error as Error)) throw error;
    throw new SourceFault("network", "the registry closed the connection in the middle of a layer");
  }
  const own = `${kind}:${hash.digest("hex")}`;
  if (own !== digest) throw differs("a layer of it", digest, own);
}

function differs(what: string, told: string, own: string): SourceFault {
  return new SourceFault("digest", `${what} has the digest ${own}, expected ${told}`);
}
