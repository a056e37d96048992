import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { type Digest, requireDigest } from "./digest.ts";
import { RegistryError } from "./registry-error.ts";
import { answerEmpty, pieceOf, type RegistryRequest } from "./registry-request.ts";
import { rangeHeader } from "./uploads.ts";

const octets = "application/octet-stream";

/** GET, HEAD and DELETE of a blob; a range of it, too. It is sent as it is read. */
export async function answerBlob(
  asked: RegistryRequest,
  repository: string,
  reference: string,
): Promise<void> {
  const { store, request, response } = asked;
  const digest = requireDigest(reference);
  if (request.method === "DELETE") {
    await store.blobs.remove(repository, digest);
    answerEmpty(asked, 202, {});
    return;
  }
  const mayPush = asked.granted.get(repository)?.has("push") === true;
  const read = mayPush && request.method === "HEAD" ? store.blobs.keep : store.blobs.require;
  const { file, sizeBytes } = await read(repository, digest);
  const range = rangeIn(request.headers.range, sizeBytes);
  const { from, to } = range ?? { from: 0, to: sizeBytes - 1 };
  response.writeHead(range === undefined ? 200 : 206, {
    "content-type": octets,
    "content-length": to - from + 1,
    "docker-content-digest": digest.text,
    "accept-ranges": "bytes",
    etag: `"${digest.text}"`,
    ...(range && { "content-range": `bytes ${from}-${to}/${sizeBytes}` }),
  });
  if (request.method === "HEAD" || to < from) {
    response.end();
    return;
  }
  await pipeline(createReadStream(file, { start: from, end: to }), response);
}

/** The one range that is asked for; undefined for all of it, as other forms are passed over. */
function rangeIn(
  header: string | undefined,
  size: number,
): { readonly from: number; readonly to: number } | undefined {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const from = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  const isEmpty = first === "" && Number(last) === 0;
  if (from <= to && from < size && !isEmpty) return { from, to };
  throw new RegistryError("SIZE_INVALID", `The blob has ${size} bytes, none of them there.`, {
    status: 416,
    headers: { "content-range": `bytes */${size}` },
  });
}

/** POST of an upload: the blob whole, one of another repository, or the begin of more. */
export async function beginUpload(asked: RegistryRequest, repository: string): Promise<void> {
  const { store, query } = asked;
  const mount = query.get("mount");
  if (mount !== null && (await isMounted(asked, repository, mount))) {
    answerEmpty(asked, 201, blobHeaders(repository, mount));
    return;
  }
  const digest = mount === null ? query.get("digest") : null;
  const wanted = digest === null ? undefined : requireDigest(digest);
  const id = await store.uploads.begin(repository);
  if (wanted === undefined) {
    answerEmpty(asked, 202, uploadHeaders(repository, id, 0));
    return;
  }
  try {
    await commit(asked, repository, { id, digest: wanted });
  } catch (error) {
    await store.uploads.cancel(repository, id).catch(() => {}); // nobody knows its name to go on with it
    throw error;
  }
  answerEmpty(asked, 201, blobHeaders(repository, wanted.text));
}

/** Whoever names no repository gets the blob from any that its token lets it read. */
async function isMounted(
  { store, query, granted }: RegistryRequest,
  repository: string,
  mount: string,
): Promise<boolean> {
  const digest = requireDigest(mount);
  const from = query.get("from");
  const readable = [...granted].flatMap(([name, actions]) => (actions.has("pull") ? [name] : []));
  for (const name of readable.filter((one) => from === null || one === from))
    if (await store.blobs.mount(name, repository, digest)) return true;
  return false;
}

/** GET, PATCH, PUT and DELETE of an upload that is under way. */
export async function answerUpload(
  asked: RegistryRequest,
  repository: string,
  id: string,
): Promise<void> {
  const { uploads } = asked.store;
  const { method } = asked.request;
  if (method === "PUT") {
    const digest = requireDigest(asked.query.get("digest"));
    await commit(asked, repository, { id, digest });
    answerEmpty(asked, 201, blobHeaders(repository, digest.text));
    return;
  }
  if (method === "DELETE") {
    await uploads.cancel(repository, id);
    answerEmpty(asked, 204, {});
    return;
  }
  const size =
    method === "PATCH"
      ? await uploads.append(repository, id, pieceOf(asked))
      : await uploads.sizeOf(repository, id);
  answerEmpty(asked, method === "PATCH" ? 202 : 204, uploadHeaders(repository, id, size));
}

/** Its connection may be silent while what came goes to the disk, and for a large blob of another run is read again. */
async function commit(
  asked: RegistryRequest,
  repository: string,
  { id, digest }: { readonly id: string; readonly digest: Digest },
): Promise<void> {
  const { socket } = asked.request;
  const silentMs = socket.timeout ?? 0;
  const hasAll = (): void => void socket.setTimeout(0);
  try {
    const piece = pieceOf(asked);
    await asked.store.uploads.commit(repository, id, { digest, piece, hasAll });
  } finally {
    socket.setTimeout(silentMs);
  }
}

const blobHeaders = (repository: string, digest: string) => ({
  location: `/v2/${repository}/blobs/${digest}`,
  "docker-content-digest": digest,
});

const uploadHeaders = (repository: string, id: string, sizeBytes: number) => ({
  location: `/v2/${repository}/blobs/uploads/${id}`,
  "docker-upload-uuid": id,
  ...rangeHeader(sizeBytes),
});
