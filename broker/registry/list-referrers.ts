import type { AskRepository } from "./open-repository.ts";
import {
  type Answered,
  answerOf,
  digestPattern,
  indexType,
  readManifest,
} from "./registry-answer.ts";

/** What says that it is about a digest, and the list of it where that is a manifest of its own. */
export type Referrers = { readonly digests: readonly string[]; readonly list?: string };

/** Of one artifact; a build attaches one statement of where it comes from. */
const mostReferrers = 100;
const none = [400, 404, 405, 501];

/** What is attached to a digest, at most a hundred. A registry without such lists has them under a tag of the digest. Throws Stopped. */
export async function listReferrers(ask: AskRepository, digest: string): Promise<Referrers> {
  const digests: string[] = [];
  let at: string | undefined = `referrers/${digest}`;
  while (at !== undefined && digests.length < mostReferrers) {
    const answer: Answered = answerOf(await ask({ method: "GET", at, accept: indexType }), [
      200,
      ...none,
    ]);
    const said = answer.status === 200 ? digestsIn(answer) : undefined;
    if (said === undefined) return digests.length > 0 ? { digests } : await listByTag(ask, digest);
    digests.push(...said);
    const next = said.length === 0 ? undefined : nextIn(answer.headers["link"] ?? "");
    at = next === undefined ? undefined : `referrers/${digest}${next}`;
  }
  return { digests: digests.slice(0, mostReferrers) };
}

async function listByTag(ask: AskRepository, digest: string): Promise<Referrers> {
  const tag = digest.replace(":", "-").slice(0, 128);
  const byTag = { method: "GET", at: `manifests/${tag}`, accept: indexType } as const;
  const tagged = answerOf(await ask(byTag), [200, ...none]);
  const list = tagged.headers["docker-content-digest"] ?? "";
  const digests = tagged.status === 200 ? digestsIn(tagged) : undefined;
  if (digests === undefined || !digestPattern.test(list)) return { digests: [] };
  return { digests: digests.slice(0, mostReferrers), list };
}

const digestsIn = (answer: Answered): readonly string[] | undefined =>
  readManifest(answer)?.manifests?.map(({ digest }) => digest);

/** The query of the next page: of a link nothing else is followed. */
const nextIn = (link: string): string | undefined =>
  /^<[^>?]*(?<query>\?[^>#]*)[^>]*>;\s*rel="?next"?/.exec(link)?.groups?.["query"];
