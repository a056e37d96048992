import { requireDigest } from "./digest.ts";
import { RegistryError } from "./registry-error.ts";
import { answerBytes, answerEmpty, readBody, type RegistryRequest } from "./registry-request.ts";

const mostManifestBytes = 4 * 2 ** 20;
const mostTags = 1000;
const index = "application/vnd.oci.image.index.v1+json";
const typePattern = /^[\w.+-]{1,127}\/[\w.+-]{1,127}$/;

/** GET, HEAD, PUT and DELETE of a manifest by its tag or digest. */
export async function answerManifest(
  asked: RegistryRequest,
  repository: string,
  reference: string,
): Promise<void> {
  const { manifests } = asked.store;
  const { method } = asked.request;
  if (method === "DELETE") {
    await manifests.remove(repository, reference);
    answerEmpty(asked, 202, {});
    return;
  }
  if (method === "PUT") return await pushManifest(asked, repository, reference);
  const { digest, mediaType, bytes } = await manifests.require(repository, reference);
  answerBytes(asked, bytes, {
    "content-type": mediaType,
    "docker-content-digest": digest.text,
    etag: `"${digest.text}"`,
  });
}

async function pushManifest(
  asked: RegistryRequest,
  repository: string,
  reference: string,
): Promise<void> {
  const said = asked.request.headers["content-type"] ?? "";
  const mediaType = said.split(";")[0]?.trim() ?? "";
  if (!typePattern.test(mediaType))
    throw new RegistryError(
      "MANIFEST_INVALID",
      "Content-Type has to be the manifest's media type.",
    );
  const bytes = await readBody(asked, mostManifestBytes);
  const pushed = { reference, mediaType, bytes };
  const { digest, subject } = await asked.store.manifests.put(repository, pushed);
  answerEmpty(asked, 201, {
    location: `/v2/${repository}/manifests/${digest.text}`,
    "docker-content-digest": digest.text,
    ...(subject && { "oci-subject": subject.text }),
  });
}

/** GET of the tags, in pages. */
export async function answerTags(asked: RegistryRequest, repository: string): Promise<void> {
  const { query, store } = asked;
  const n = query.get("n");
  if (n !== null && !/^\d{1,9}$/.test(n))
    throw new RegistryError("UNSUPPORTED", "n is how many tags a page has.", { status: 400 });
  const last = query.get("last") ?? "";
  const after = (await store.manifests.tags(repository)).filter((tag) => tag > last);
  const most = Math.min(n === null ? mostTags : Number(n), mostTags);
  const tags = after.slice(0, most);
  const end = tags.at(-1);
  const next = new URLSearchParams({ n: String(most), last: end ?? "" }).toString();
  const hasMore = end !== undefined && after.length > tags.length;
  answerBytes(asked, Buffer.from(JSON.stringify({ name: repository, tags })), {
    "content-type": "application/json",
    ...(hasMore && { link: `</v2/${repository}/tags/list?${next}>; rel="next"` }),
  });
}

/** GET of what refers to a subject, which need not be there, in pages; of one type, where one is named. */
export async function answerReferrers(
  asked: RegistryRequest,
  repository: string,
  reference: string,
): Promise<void> {
  const { query, store } = asked;
  const type = query.get("artifactType");
  const subject = requireDigest(reference);
  const after = query.get("last") ?? "";
  const { found: all, next } = await store.manifests.referrers(repository, subject, after);
  const manifests = type ? all.filter(({ artifactType }) => artifactType === type) : all;
  const list = { schemaVersion: 2, mediaType: index, manifests };
  answerBytes(asked, Buffer.from(JSON.stringify(list)), {
    "content-type": index,
    ...(type && { "oci-filters-applied": "artifactType" }),
    ...(next !== undefined && { link: linkOf(repository, subject.text, { type, last: next }) }),
  });
}

function linkOf(
  repository: string,
  subject: string,
  { type, last }: { readonly type: string | null; readonly last: string },
): string {
  const next = new URLSearchParams({ ...(type !== null && { artifactType: type }), last });
  return `</v2/${repository}/referrers/${subject}?${next.toString()}>; rel="next"`;
}
