import { type Descriptor, manifestShape, mediaTypes } from "./descriptor.ts";
import { digestOf } from "./digest-of.ts";
import { findManifest, putManifest } from "./manifests.ts";
import { readBounded } from "./read-bounded.ts";
import { nextPage, type RegistryClient } from "./registry-client.ts";
import { RegistryFault } from "./registry-fault.ts";

const mostPages = 50;
const mostPageBytes = 4 * 2 ** 20;

/**
 * What refers to a manifest: signatures, SBOMs, attestations. A registry without that list has it as an index under a
 * tag of the manifest's digest. Throws RegistryFault.
 */
export async function listReferrers(client: RegistryClient, digest: string): Promise<Descriptor[]> {
  const found: Descriptor[] = [];
  let at: string | undefined = `referrers/${digest}`;
  for (let page = 0; at !== undefined && page < mostPages; page += 1) {
    const answer = await client.ask({ at });
    const isList = answer.status === 200 && isIndex(answer.headers["content-type"]);
    if (!isList && page === 0 && [200, 400, 404, 405, 501].includes(answer.status)) {
      answer.body.destroy();
      return (await findManifest(client, tagOf(digest)))?.shape.manifests ?? [];
    }
    if (!isList) throw await client.refusal(answer);
    const bytes = await readBounded(answer.body, mostPageBytes).catch(() => undefined);
    found.push(...descriptorsIn(bytes?.toString("utf8") ?? ""));
    at = nextPage(answer);
  }
  return found;
}

const mostTries = 3;

/** Adds to the index that stands for the list where the registry has none. Throws RegistryFault. */
export async function addReferrer(
  client: RegistryClient,
  subject: string,
  referrer: Descriptor,
): Promise<void> {
  for (let attempt = 0; attempt < mostTries; attempt += 1) {
    const there = (await findManifest(client, tagOf(subject)))?.shape.manifests ?? [];
    if (there.some(({ digest }) => digest === referrer.digest)) return;
    if (attempt > 0 && attempt === mostTries - 1) break;
    const index = {
      schemaVersion: 2,
      mediaType: mediaTypes.index,
      manifests: [...there, referrer],
    };
    const bytes = Buffer.from(JSON.stringify(index));
    const written = { digest: digestOf(bytes), mediaType: mediaTypes.index, bytes };
    await putManifest(client, tagOf(subject), written); // somebody else may write it at once: look again
  }
  throw new RegistryFault("refused", "the registry does not keep the list of referrers");
}

/** sha256-… */
const tagOf = (digest: string): string => digest.replace(":", "-").slice(0, 128);

const isIndex = (type = ""): boolean => type.includes("json");

function descriptorsIn(text: string): readonly Descriptor[] {
  try {
    return manifestShape.parse(JSON.parse(text)).manifests ?? [];
  } catch {
    throw new RegistryFault("unsafe", "the registry's list of referrers is invalid");
  }
}
