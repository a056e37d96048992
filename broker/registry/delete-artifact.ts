import { z } from "zod";
import type { CallResult } from "../egress/call-out.ts";
import type { AskRepository } from "./open-repository.ts";

/** What is to be deleted of a repository; without a digest it is what the tag stands for. */
export type ArtifactToDelete = { readonly tag: string; readonly digest: string | null };

/** What came of it. `later`: it was not deleted yet; `isDown`: the registry does not answer as it should. */
export type ArtifactDeletion =
  | { readonly kind: "deleted" | "gone" | "kept" | "open" | "lost" }
  | { readonly kind: "left" | "unsupported"; readonly why: string }
  | {
      readonly kind: "later";
      readonly why: string;
      readonly isDown: boolean;
      readonly isRefused: boolean;
    };

/** What the database says of digests. */
export type Judge = {
  /** Says that it is about to be deleted, and asks whether it may be. */
  readonly mayDelete: (digest: string) => Promise<"go" | "kept" | "open" | "lost">;
  /** Of these those that builds have. */
  readonly ofBuilds: (digests: readonly string[]) => Promise<readonly string[]>;
};

const index = "application/vnd.oci.image.index.v1+json";
const manifestTypes = [
  "application/vnd.oci.image.manifest.v1+json",
  index,
  "application/vnd.docker.distribution.manifest.v2+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
].join(", ");
const digestPattern = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;
/** Of one artifact; a build attaches one statement of where it comes from. */
const mostReferrers = 100;

/** Thrown where nothing more of it can be done now. */
class Stopped extends Error {
  override readonly name = "Stopped";
  readonly deletion: ArtifactDeletion;

  constructor(deletion: ArtifactDeletion) {
    super(deletion.kind);
    this.deletion = deletion;
  }
}

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
  const at = `manifests/${known ?? tag}`;
  const found = answerOf(await ask({ method: "HEAD", at, accept: manifestTypes }), [200, 404]);
  if (found.status === 404) return { kind: "gone" };
  const digest = known ?? found.headers["docker-content-digest"] ?? "";
  if (!digestPattern.test(digest))
    return { kind: "left", why: "The registry does not tell the digest of its tag." };
  const may = await judge.mayDelete(digest);
  if (may !== "go") return { kind: may };
  await deleteReferrers(ask, digest, judge);
  await remove(ask, tag);
  const end = await remove(ask, digest);
  return end === "unsupported"
    ? { kind: "unsupported", why: "The registry does not delete manifests." }
    : { kind: "deleted" };
}

/** Deletes what says of itself that it is about this digest, and is no build's. */
async function deleteReferrers(ask: AskRepository, digest: string, judge: Judge): Promise<void> {
  const { digests, list } = await listReferrers(ask, digest);
  const kept = digests.length === 0 ? [] : await judge.ofBuilds(digests);
  for (const one of digests.filter((referrer) => !kept.includes(referrer)))
    if (await isAbout(ask, one, digest)) await remove(ask, one);
  if (list !== undefined) await remove(ask, list);
}

type Referrers = { readonly digests: readonly string[]; readonly list?: string };

/** A registry without such lists has them under a tag of the digest. */
async function listReferrers(ask: AskRepository, digest: string): Promise<Referrers> {
  const none = [400, 404, 405, 501];
  const at = `referrers/${digest}`;
  const answer = answerOf(await ask({ method: "GET", at, accept: index }), [200, ...none]);
  const said = answer.status === 200 ? digestsIn(answer.body) : undefined;
  if (said !== undefined) return { digests: said };
  const tag = digest.replace(":", "-").slice(0, 128);
  const byTag = { method: "GET", at: `manifests/${tag}`, accept: index } as const;
  const tagged = answerOf(await ask(byTag), [200, ...none]);
  const list = tagged.headers["docker-content-digest"] ?? "";
  const digests = tagged.status === 200 ? digestsIn(tagged.body) : undefined;
  if (digests === undefined || !digestPattern.test(list)) return { digests: [] };
  return { digests, list };
}

async function isAbout(ask: AskRepository, referrer: string, digest: string): Promise<boolean> {
  const asked = { method: "GET", at: `manifests/${referrer}`, accept: manifestTypes } as const;
  const answer = answerOf(await ask(asked), [200, 400, 404]);
  return answer.status === 200 && read(answer.body)?.subject?.digest === digest;
}

const manifest = z.object({
  subject: z.object({ digest: z.string() }).nullish(),
  manifests: z.array(z.object({ digest: z.string().regex(digestPattern) })).nullish(),
});

function read(body: string): z.infer<typeof manifest> | undefined {
  try {
    return manifest.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

const digestsIn = (body: string): readonly string[] | undefined =>
  read(body)
    ?.manifests?.slice(0, mostReferrers)
    .map(({ digest }) => digest);

/** Deletes what is under a tag or digest. What is not there is deleted, too. */
async function remove(ask: AskRepository, reference: string): Promise<"done" | "unsupported"> {
  const result = await ask({ method: "DELETE", at: `manifests/${reference}` });
  const answer = answerOf(result, [200, 202, 204, 400, 404, 405, 501]);
  if (answer.status < 300) return "done";
  const codes = codesIn(answer.body);
  if (codes.includes("UNSUPPORTED") || answer.status === 405 || answer.status === 501)
    return "unsupported";
  if (answer.status === 404) return codes.some(isUnknown) ? "done" : "unsupported";
  throw new Stopped(later(`The registry answered ${answer.status}.`, {}));
}

const isUnknown = (code: string): boolean => code.endsWith("_UNKNOWN");

const errors = z.object({ errors: z.array(z.object({ code: z.string() })) });

function codesIn(body: string): readonly string[] {
  try {
    return errors.parse(JSON.parse(body)).errors.map(({ code }) => code);
  } catch {
    return [];
  }
}

type Answered = Extract<CallResult, { kind: "answered" }>;

/** An answer of one of these statuses. */
function answerOf(result: CallResult, statuses: readonly number[]): Answered {
  if (result.kind === "failed") throw new Stopped(later(result.detail, { isDown: true }));
  const { status } = result;
  if (statuses.includes(status)) return result;
  const isRefused = status === 401 || status === 403;
  const isDown = status >= 500 || status === 429;
  throw new Stopped(later(`The registry answered ${status}.`, { isDown, isRefused }));
}

const later = (
  why: string,
  { isDown = false, isRefused = false }: { isDown?: boolean; isRefused?: boolean },
): ArtifactDeletion => ({ kind: "later", why, isDown, isRefused });
