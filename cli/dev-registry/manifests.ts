import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { Blobs } from "./blobs.ts";
import { type Digest, digestIn, digestOf, requireDigest } from "./digest.ts";
import { isMissing, removeFile, writeDurably } from "./durable-files.ts";
import type { Places } from "./places.ts";
import { readManifest } from "./read-manifest.ts";
import { RegistryError } from "./registry-error.ts";
import type { RepositoryTurns } from "./repository-turns.ts";

/** A manifest as it was pushed. */
export type Manifest = {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly bytes: Buffer;
};

/** What refers to a subject, as lists have it. */
export type Descriptor = {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
};

export type PushedManifest = {
  readonly reference: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
};

export type ReferrerPage = {
  readonly found: readonly Descriptor[];
  readonly next: string | undefined;
};

/** Of descriptors in one page, each of which has its annotations. */
const mostPageBytes = 2 ** 20;
const mostDescriptorBytes = 2 ** 16;
const tagPattern = /^\w[\w.-]{0,127}$/;
const mostReferrers = 2000;

/** The manifests of repositories, with their tags and what refers to what. */
export type Manifests = ReturnType<typeof manifestsIn>;

/** The manifests in these places. */
export function manifestsIn(places: Places, blobs: Blobs, turns: RepositoryTurns) {
  const kept = { places, blobs };
  return {
    /** By its tag or digest. */
    require: async (repository: string, reference: string): Promise<Manifest> =>
      await requireManifest(kept, repository, reference),
    /** Stores a manifest whose blobs are there. */
    put: async (repository: string, pushed: PushedManifest): Promise<Put> =>
      await turns.bring(repository, async () => await putManifest(kept, repository, pushed)),
    /** A tag goes alone; a manifest with its tags, and from the list of its subject. */
    remove: async (repository: string, reference: string): Promise<void> =>
      await removeManifest(kept, repository, reference),
    /** All tags in order; refuses where there is no such repository. */
    tags: async (repository: string): Promise<string[]> => await tagsOf(kept, repository),
    /** What refers to a subject, from after a name on, as much as fits a page; `next`: after which name there may be more. */
    referrers: async (repository: string, subject: Digest, after: string): Promise<ReferrerPage> =>
      await referrersOf(kept, repository, subject, after),
  };
}

type Kept = { readonly places: Places; readonly blobs: Blobs };
type Put = { readonly digest: Digest; readonly subject: Digest | undefined };

async function requireManifest(
  { places }: Kept,
  repository: string,
  reference: string,
): Promise<Manifest> {
  const digest = await digestFor(places, repository, reference);
  const text = digest && (await readWhole(places.manifest(repository, digest)));
  if (digest === undefined || text === undefined) throw unknownManifest(reference);
  const end = text.indexOf(0x0a);
  const mediaType = text.subarray(0, end).toString();
  return { digest, mediaType, bytes: text.subarray(end + 1) };
}

async function digestFor(
  places: Places,
  repository: string,
  reference: string,
): Promise<Digest | undefined> {
  if (reference.includes(":")) return requireDigest(reference);
  const tagged = await readWhole(places.tag(repository, requireTag(reference)));
  return tagged && digestIn(tagged.toString());
}

/** Its tag is written last: what is under a tag is whole. */
async function putManifest(
  { places, blobs }: Kept,
  repository: string,
  { reference, mediaType, bytes }: PushedManifest,
): Promise<Put> {
  const named = reference.includes(":") ? requireDigest(reference) : undefined;
  const tag = named === undefined ? requireTag(reference) : undefined;
  const digest = digestOf(bytes, named?.algorithm);
  if (named !== undefined && named.text !== digest.text)
    throw new RegistryError(
      "DIGEST_INVALID",
      `The manifest has the digest ${digest.text}, not ${named.text}.`,
    );
  const { subject, ...read } = readManifest(bytes, mediaType);
  await requireBlobs(blobs, repository, read.blobs);
  const descriptor = Buffer.from(
    JSON.stringify({ ...read.descriptor, digest: digest.text, size: bytes.length }),
  );
  if (subject !== undefined) {
    if (descriptor.length > mostDescriptorBytes)
      throw new RegistryError(
        "SIZE_INVALID",
        `The annotations of what refers to another manifest have at most ${mostDescriptorBytes} bytes.`,
      );
    await requireFew(places.referrers(repository, subject));
  }
  const write = async (file: string, written: Uint8Array) =>
    await writeDurably(file, written, places.temporary);
  const whole = Buffer.concat([Buffer.from(`${mediaType}\n`), bytes]);
  await write(places.manifest(repository, digest), whole);
  if (subject !== undefined) {
    await write(nameIn(places.referrers(repository, subject), digest), descriptor);
  }
  if (tag !== undefined) await write(places.tag(repository, tag), Buffer.from(digest.text));
  return { digest, subject };
}

async function removeManifest(kept: Kept, repository: string, reference: string): Promise<void> {
  const { places } = kept;
  if (!reference.includes(":")) {
    if (await removeFile(places.tag(repository, requireTag(reference)))) return;
    throw unknownManifest(reference);
  }
  const { digest, mediaType, bytes } = await requireManifest(kept, repository, reference);
  for (const tag of await namesIn(places.tags(repository))) {
    const file = places.tag(repository, tag);
    if ((await readWhole(file))?.toString() === digest.text) await removeFile(file);
  }
  const { subject } = readManifest(bytes, mediaType);
  if (subject !== undefined)
    await removeFile(nameIn(places.referrers(repository, subject), digest));
  if (!(await removeFile(places.manifest(repository, digest)))) throw unknownManifest(reference);
}

async function tagsOf({ places }: Kept, repository: string): Promise<string[]> {
  const isThere = await stat(places.repository(repository)).then(
    () => true,
    () => false,
  );
  if (!isThere) throw new RegistryError("NAME_UNKNOWN", "There is no such repository.");
  return (await namesIn(places.tags(repository))).sort();
}

async function referrersOf(
  { places }: Kept,
  repository: string,
  subject: Digest,
  after: string,
): Promise<ReferrerPage> {
  const folder = places.referrers(repository, subject);
  const names = (await namesIn(folder)).sort().filter((name) => name > after);
  const found: Descriptor[] = [];
  let bytes = 0;
  let last = "";
  for (const name of names) {
    if (bytes > mostPageBytes) return { found, next: last };
    const text = await readWhole(path.join(folder, name));
    last = name;
    if (text === undefined) continue; // it was deleted just now
    bytes += text.length;
    found.push(JSON.parse(text.toString()) as Descriptor); // as it was written
  }
  return { found, next: undefined };
}

async function requireBlobs(
  blobs: Blobs,
  repository: string,
  needed: readonly Digest[],
): Promise<void> {
  for (const digest of needed)
    if ((await blobs.find(repository, digest)) === undefined)
      throw new RegistryError(
        "MANIFEST_BLOB_UNKNOWN",
        `The repository has no blob ${digest.text}. Push what a manifest names before it.`,
      );
}

async function requireFew(folder: string): Promise<void> {
  if ((await namesIn(folder)).length >= mostReferrers)
    throw new RegistryError(
      "TOOMANYREQUESTS",
      `At most ${mostReferrers} manifests refer to one subject. Delete some of them.`,
    );
}

const nameIn = (folder: string, { algorithm, hex }: Digest): string =>
  path.join(folder, `${algorithm}-${hex}`);

function requireTag(tag: string): string {
  if (tagPattern.test(tag)) return tag;
  throw new RegistryError(
    "TAG_INVALID",
    "A tag has up to 128 letters, digits, underlines, dots and hyphens, and begins with none of the last two.",
  );
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function readWhole(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const unknownManifest = (reference: string): RegistryError =>
  new RegistryError("MANIFEST_UNKNOWN", `The repository has no manifest ${reference}.`);
