import { problem } from "../../shared/problem.ts";
import { parseToken } from "../../shared/token.ts";
import type { Db } from "../database/connect.ts";
import { gather } from "../database/gather.ts";
import type { Actor } from "./actor.ts";
import { bearerOf } from "./bearer.ts";
import {
  type CredentialRow,
  listCredentials,
  markFirstUse,
  markUse,
} from "./credential-queries.ts";
import { actorOf } from "./credential.ts";
import { tokenDigest } from "./token-digest.ts";

/** A token of one execution, as the jobs' own tables know it. */
export type ExecutionCredential = { readonly actor: Actor; readonly expiresInMs: number };
export type FindExecution = (token: string) => Promise<ExecutionCredential | undefined>;

/** Tells who a request comes from. Remembers tokens for a while, and forgets one at once when told to. */
export type Authenticator = {
  /** The caller; refuses with 401, or 404 for an org that the token does not reach. A promise only when unknown. */
  readonly identify: (authorization: string | undefined, org?: string) => Actor | Promise<Actor>;
  /** Drops what is remembered of these tokens, and of all tokens of these accounts or executions. */
  readonly forget: (ids: readonly string[]) => void;
  readonly forgetAll: () => void;
  /** While revocations are heard of (`svc_tokens`), a token is remembered for a minute, else for 5 s. */
  readonly setListening: (isListening: boolean) => void;
  /** Writes down the last uses that are still held back. */
  readonly flush: () => Promise<void>;
};

type Known = {
  readonly credential: CredentialRow | ExecutionCredential;
  readonly loadedAtMs: number;
  readonly diesAtMs: number;
  readonly actors: Map<string, Actor>;
  usedAtMs: number;
};

const trustMs = { listening: 60_000, deaf: 5000 };
const useEveryMs = 60_000;
const flushEveryMs = 5000;
const maxKnown = 200_000;

/** An authenticator over the tokens table; tokens of executions are asked of `findExecution`. */
export function createAuthenticator(db: Db, findExecution: FindExecution): Authenticator {
  const known = new Map<string, Known>();
  const used = new Set<string>();
  let isListening = false;
  let flushTimer: NodeJS.Timeout | undefined;
  const load = gather((digests: readonly string[]) => loadCredentials(db, digests), { max: 500 });

  const flush = async (): Promise<void> => {
    clearTimeout(flushTimer);
    flushTimer = undefined;
    const ids = [...used];
    used.clear();
    if (ids.length > 0) await markUse(db, ids);
  };

  const noteUse = (entry: Known, nowMs: number): void => {
    if (nowMs - entry.usedAtMs < useEveryMs || !("digest" in entry.credential)) return;
    entry.usedAtMs = nowMs;
    used.add(entry.credential.id);
    // A use that could not be written is written with the next one; it is no reason to refuse anybody.
    flushTimer ??= setTimeout(() => void flush().catch(() => {}), flushEveryMs).unref();
  };

  const learn = async (authorization: string | undefined): Promise<Known> => {
    const { secret, isOfExecution } = readSecret(authorization);
    const credential = isOfExecution
      ? await findExecution(secret)
      : await load(tokenDigest(secret).toString("hex"));
    if (credential === undefined) {
      throw problem.unauthenticated("The token is not known.", "invalid_token");
    }
    return remember(known, `${authorization}`, credential);
  };

  return {
    identify(authorization, org) {
      const nowMs = performance.now();
      // By the header as it came: to hash it on every request would cost more than all the rest of this.
      const entry = authorization === undefined ? undefined : known.get(authorization);
      const trust = isListening ? trustMs.listening : trustMs.deaf;
      if (entry !== undefined && nowMs - entry.loadedAtMs < trust && nowMs < entry.diesAtMs) {
        noteUse(entry, nowMs);
        return actorFor(entry, org);
      }
      return learn(authorization).then((fresh) => {
        noteUse(fresh, nowMs);
        return actorFor(fresh, org);
      });
    },
    forget(ids) {
      const gone = new Set(ids);
      for (const [key, entry] of known)
        if (idsOf(entry).some((id) => id !== null && gone.has(id))) known.delete(key);
    },
    forgetAll: () => known.clear(),
    setListening(listens) {
      if (listens && !isListening) known.clear(); // what was revoked while nobody listened is not known
      isListening = listens;
    },
    flush,
  };
}

/** Checks the checksum before anything is looked up. */
function readSecret(authorization: string | undefined): { secret: string; isOfExecution: boolean } {
  const secret = bearerOf(authorization);
  const parsed = parseToken(secret);
  if (parsed === undefined) {
    throw problem.unauthenticated(
      "The Authorization header holds no token of ours.",
      "invalid_token",
    );
  }
  return { secret, isOfExecution: parsed.kind === "job" };
}

async function loadCredentials(
  db: Db,
  digests: readonly string[],
): Promise<(CredentialRow | undefined)[]> {
  const rows = await listCredentials(db, digests);
  const unused = rows.filter((row) => row.is_unused && row.kind !== "boot").map((row) => row.id);
  if (unused.length > 0) await markFirstUse(db, unused);
  const byDigest = new Map(rows.map((row) => [row.digest, row]));
  return digests.map((digest) => byDigest.get(digest));
}

/** Expired and revoked tokens are not remembered: they are refused here. */
function remember(
  known: Map<string, Known>,
  key: string,
  credential: CredentialRow | ExecutionCredential,
): Known {
  const livesMs = "digest" in credential ? credential.expires_in_ms : credential.expiresInMs;
  if ("digest" in credential && credential.is_revoked) {
    throw problem.unauthenticated("The token was revoked.", "invalid_token");
  }
  if (livesMs !== null && livesMs <= 0) {
    throw problem.unauthenticated("The token has expired.", "invalid_token");
  }
  const loadedAtMs = performance.now();
  const diesAtMs = livesMs === null ? Infinity : loadedAtMs + livesMs;
  const entry = { credential, loadedAtMs, diesAtMs, actors: new Map(), usedAtMs: -Infinity };
  known.delete(key);
  known.set(key, entry);
  const [oldest] = known.keys();
  if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
  return entry;
}

function actorFor({ credential, actors }: Known, org: string | undefined): Actor {
  if (!("digest" in credential)) {
    if (org !== undefined && org !== credential.actor.orgId) throw problem.notFound("org");
    return credential.actor;
  }
  const chosen = org ?? credential.org_id;
  const actor = actors.get(chosen) ?? actorOf(credential, chosen);
  if (actor === undefined) throw problem.notFound("org");
  actors.set(chosen, actor);
  return actor;
}

function idsOf({ credential }: Known): (string | null)[] {
  return "digest" in credential
    ? [credential.id, credential.account_id]
    : [credential.actor.executionId];
}
