import { createHash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { putManifest } from "../../../agent/registry/manifests.ts";
import { type PushedArtifact, pushArtifact } from "../../../agent/registry/push-artifact.ts";
import {
  makeRegistryClient,
  type RegistryClient,
} from "../../../agent/registry/registry-client.ts";
import { testFolder } from "../run/folder.ts";
import { tarArchive } from "./tar-archive.ts";

const image = "application/vnd.oci.image.";
const sha256 = (bytes: Buffer): string =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** Who pushes to a repository of the tests' registry. */
export const pusherOf = (host: string, repository: string): RegistryClient =>
  makeRegistryClient({ origin: `http://${host}`, repository }, {}, { access: "push" });

/** Bytes as a file that can be pushed. */
export async function writeLayer(bytes: Buffer) {
  const file = path.join(await testFolder(), "layer");
  await writeFile(file, bytes);
  return { file, size: bytes.length, digest: sha256(bytes) };
}

/** Pushes an image for one platform, whose layer is so large; answers what it is. */
export async function pushImage(
  client: RegistryClient,
  {
    tag,
    architecture = "amd64",
    bytes = 1000,
  }: { tag?: string; architecture?: string; bytes?: number },
): Promise<PushedArtifact> {
  const tar = tarArchive([{ name: "file", text: randomBytes(bytes / 2).toString("hex") }]);
  const layer = gzipSync(tar, { level: 0 });
  const rootfs = { type: "layers", diff_ids: [sha256(tar)] };
  const config = {
    os: "linux",
    architecture,
    config: {},
    rootfs,
    history: [{ created_by: "test" }],
  };
  const given = {
    config: { mediaType: `${image}config.v1+json`, bytes: Buffer.from(JSON.stringify(config)) },
    layers: [{ ...(await writeLayer(layer)), mediaType: `${image}layer.v1.tar+gzip` }],
  };
  return await pushArtifact(client, given, tag);
}

/** Pushes an index of images for two platforms, and of what else is named. */
export async function pushIndex(
  client: RegistryClient,
  { tag, bytes = 1000, besides = [] }: { tag: string; bytes?: number; besides?: readonly object[] },
): Promise<PushedArtifact & { readonly images: readonly PushedArtifact[] }> {
  const images: PushedArtifact[] = [];
  for (const architecture of ["amd64", "arm64"])
    images.push(await pushImage(client, { architecture, bytes }));
  const platforms = images.map(({ mediaType, digest, size }, at) => ({
    mediaType,
    digest,
    size,
    platform: { os: "linux", architecture: at === 0 ? "amd64" : "arm64" },
  }));
  const mediaType = `${image}index.v1+json`;
  const index = { schemaVersion: 2, mediaType, manifests: [...platforms, ...besides] };
  // Nobody writes manifests like this: what is copied is the same byte for byte.
  const text = Buffer.from(JSON.stringify(index, null, 3));
  const digest = sha256(text);
  await putManifest(client, tag, { digest, mediaType, bytes: text });
  return { digest, mediaType, size: text.length, images };
}
