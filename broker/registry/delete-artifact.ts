import type { ArtifactDeletion, ArtifactToDelete, Judge } from "./artifact-deletion.ts";
import { digestsInIndexes, mostIndexes } from "./digests-in-indexes.ts";
import { listReferrers } from "./list-referrers.ts";
import type { AskRepository } from "./open-repository.ts";
import {
  type Answered,
  answerOf,
  codesIn,
  digestPattern,
  manifestTypes,
  readManifest,
  requireUnknown,
  Stopped,
} from "./registry-answer.ts";

/**
 * Deletes an artifact, when it is there and may be deleted: what is attached to it first, then its tag, then its manifest. Repeated, it goes on where
 * it stopped. Whatever the registry answers is the result.
 */
export async function deleteArtifact(
  ask: AskRepository,
  artifact: ArtifactToDelete,
  judge: Judge,
): Promise<ArtifactDeletion> {
  try {
    return await act(ask, artifact, judge);
  } catch (error) {
    if (error instanceof Stopped) return error.deletion;
    throw error;
  }
}

async function act(
  ask: AskRepository,
  { tag, digest: known }: ArtifactToDelete,
  judge: Judge,
): Promise<ArtifactDeletion> {
  const found = await look(ask, known ?? tag);
  if (found === undefined) return { kind: "gone" };
  const digest = known ?? found.headers["docker-content-digest"] ?? "";
  if (!digestPattern.test(digest))
    return { kind: "left", why: "The registry does not tell the digest of its tag." };
  const may = await judge.mayDelete(digest);
  if (may !== "go") return { kind: may };
  // After it was asked which builds are open: what they have made is among these now.
  const named = await digestsInIndexes(ask, await judge.indexes(mostIndexes + 1));
  if (named.has(digest)) return { kind: "kept" };
  await deleteReferrers(ask, digest, {
    isKept: async (digests) => new Set([...named, ...(await judge.ofBuilds(digests))]),
  });
  await remove(ask, tag);
  const end = await remove(ask, digest);
  return end === "unsupported"
    ? { kind: "unsupported", why: "The registry does not delete manifests.", isOld: false }
    : { kind: "deleted" };
}

/** What is under a tag or digest; undefined where the registry says that it does not have it. */
async function look(ask: AskRepository, reference: string): Promise<Answered | undefined> {
  const asked = { at: `manifests/${reference}`, accept: manifestTypes };
  const head = answerOf(await ask({ method: "HEAD", ...asked }), [200, 404]);
  if (head.status === 200) return head;
  const found = answerOf(await ask({ method: "GET", ...asked }), [200, 404]); // which has words
  if (found.status === 200) return found;
  requireUnknown(found);
  return undefined;
}

type Keeping = { readonly isKept: (digests: readonly string[]) => Promise<ReadonlySet<string>> };

/** Deletes what says of itself that it is about this digest, and is needed by no build. */
async function deleteReferrers(
  ask: AskRepository,
  digest: string,
  { isKept }: Keeping,
): Promise<void> {
  const { digests, list } = await listReferrers(ask, digest);
  const kept = digests.length === 0 ? new Set<string>() : await isKept(digests);
  for (const one of digests.filter((referrer) => !kept.has(referrer)))
    if (await isAbout(ask, one, digest)) await remove(ask, one);
  if (list !== undefined) await remove(ask, list);
}

async function isAbout(ask: AskRepository, referrer: string, digest: string): Promise<boolean> {
  const asked = { method: "GET", at: `manifests/${referrer}`, accept: manifestTypes } as const;
  const answer = answerOf(await ask(asked), [200, 400, 404]);
  return answer.status === 200 && readManifest(answer)?.subject?.digest === digest;
}

/** Deletes what is under a tag or digest. What is not there is deleted, too. */
async function remove(ask: AskRepository, reference: string): Promise<"done" | "unsupported"> {
  const result = await ask({ method: "DELETE", at: `manifests/${reference}` });
  const isUnsupported = result.kind === "answered" && codesIn(result.body).includes("UNSUPPORTED");
  if (isUnsupported) return "unsupported";
  const answer = answerOf(result, [200, 202, 204, 404, 405, 501]);
  if (answer.status < 300) return "done";
  if (answer.status !== 404) return "unsupported";
  requireUnknown(answer);
  return "done";
}
