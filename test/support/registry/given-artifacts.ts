import { createHash } from "node:crypto";
import type { Asked, Answered } from "./given-dev-registry.ts";

type Ask = (what: string, asked?: Asked) => Promise<Answered>;
export type PushedManifest = {
  readonly digest: string;
  readonly size: number;
  readonly mediaType?: string;
};

const mediaType = "application/vnd.oci.image.manifest.v1+json";
const indexType = "application/vnd.oci.image.index.v1+json";
const empty = Buffer.from("{}");
export const digestOfBytes = (bytes: Uint8Array | string): string =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** Pushes small artifacts, and looks what is there. */
export function artifactsAt(ask: Ask) {
  const at = (repository: string, rest: string) => `/v2/${repository}/${rest}`;

  /** A manifest that says this text; about another one, where that is told. Equal texts have equal digests. */
  async function push(
    repository: string,
    { says, tag, about }: { says: string; tag?: string; about?: PushedManifest },
  ): Promise<PushedManifest> {
    const uploads = `POST ${at(repository, "blobs/uploads/")}`;
    const begun = await ask(uploads);
    const to = new URL(String(begun.headers["location"]), "http://registry");
    to.searchParams.set("digest", digestOfBytes(empty));
    const octets = { "content-type": "application/octet-stream" };
    const put = `PUT ${to.pathname}${to.search}`;
    const ended = await ask(put, { body: empty, headers: octets });
    if (ended.status !== 201) throw new Error(`the blob: ${ended.status} ${ended.body.toString()}`);
    const blob = {
      mediaType: "application/vnd.oci.empty.v1+json",
      digest: digestOfBytes(empty),
      size: 2,
    };
    const text = JSON.stringify({
      schemaVersion: 2,
      mediaType,
      artifactType: "application/x.test",
      config: blob,
      layers: [blob],
      annotations: { says },
      ...(about && { subject: { mediaType, ...about } }),
    });
    const digest = digestOfBytes(text);
    const name = `PUT ${at(repository, `manifests/${tag ?? digest}`)}`;
    const headers = { "content-type": mediaType };
    const answer = await ask(name, { body: text, headers });
    if (answer.status !== 201)
      throw new Error(`the manifest: ${answer.status} ${answer.body.toString()}`);
    return { digest, size: text.length };
  }

  /** An index that names these. */
  async function pushIndex(
    repository: string,
    named: readonly PushedManifest[],
  ): Promise<PushedManifest> {
    const manifests = named.map((one) => ({ mediaType, ...one }));
    const text = JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests });
    const digest = digestOfBytes(text);
    const what = `PUT ${at(repository, `manifests/${digest}`)}`;
    const answer = await ask(what, { body: text, headers: { "content-type": indexType } });
    if (answer.status !== 201) throw new Error(`the index: ${answer.status}`);
    return { digest, size: text.length, mediaType: indexType };
  }

  const isThere = async (repository: string, reference: string): Promise<boolean> =>
    (
      await ask(`HEAD ${at(repository, `manifests/${reference}`)}`, {
        headers: { accept: mediaType },
      })
    ).status === 200;

  return { push, pushIndex, isThere };
}
