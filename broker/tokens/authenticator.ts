import { hash } from "node:crypto";
import { problem } from "../../shared/problem.ts";
import { parseToken, type TokenKind } from "../../shared/token.ts";
import { makeBatcher } from "../database/batcher.ts";
import type { Db } from "../database/connect.ts";
import { actorOf } from "./actor-of.ts";
import type { Actor } from "./actor.ts";
import { bearerOf } from "./bearer.ts";
import {
  type CredentialRow,
  listCredentials,
  listSessionCredentials,
  markFirstUse,
  markUse,
} from "./credential-queries.ts";
import { createTokenCache, type ExecutionCredential, type Known } from "./token-cache.ts";

/** Counts guessed tokens: asked before a look-up, and called when there is no such token. */
export type Guesses = { readonly admit: () => void; readonly note: () => void };
type GuessesOf = () => Guesses | undefined;

/** One answer for each token, in their order. */
export type FindCredentials = (
  tokens: readonly string[],
) => Promise<(ExecutionCredential | undefined)[]>;
/** Who answers for the tokens that no table of tokens has, by their kind. */
export type Finders = Readonly<Record<"job" | "run", FindCredentials>>;

/** Identifies the caller of a request. Caches tokens for a while; a revoked one is removed at once. */
export type Authenticator = {
  /**
   * The caller; refuses with 401, or 404 for an org that the token does not reach. A promise only when unknown;
   * `guesses` is asked before a token is looked up that was not seen here lately.
   */
  readonly identify: (
    authorization: string | undefined,
    org?: string,
    guesses?: GuessesOf,
  ) => Actor | Promise<Actor>;
  /** Who is signed in by this session's secret, in the org that the session shows; 401 when it is over. */
  readonly identifySession: (secret: string, guesses?: GuessesOf) => SignedIn | Promise<SignedIn>;
  /** Removes these tokens and sessions, and all tokens of these accounts or executions, from the cache. */
  readonly forget: (ids: readonly string[]) => void;
  readonly forgetAll: () => void;
  /** While revocations are heard of (`svc_tokens`), a token is remembered for a minute, else for 5 s. */
  readonly setListening: (isListening: boolean) => void;
  /** Writes down the last uses that are still held back, and waits for those that are being written. */
  readonly flush: () => Promise<void>;
  /** What the tokens that are remembered take at most. */
  readonly bytes: () => number;
};

/** A browser that is signed in. */
export type SignedIn = {
  readonly actor: Actor;
  readonly sessionId: string;
  /** Of the browser that signed in, in hex. */
  readonly userAgentDigest: string;
};

const trustMs = { listening: 60_000, deaf: 5000 };
const useEveryMs = 60_000;
const flushEveryMs = 5000;
const mebibyte = 1024 * 1024;
const bounds = {
  mostBytes: 96 * mebibyte,
  mostTokens: 50_000,
  oldestMs: 10 * 60_000,
  mostRefusals: 20_000,
  refusedForMs: 5_000,
};

/** An authenticator over the tokens table; tokens of jobs and of runs are asked of their finders. */
export function createAuthenticator(db: Db, finders: Finders): Authenticator {
  const known = createTokenCache(bounds);
  const uses = createUses(db);
  let isListening = false;
  const load = makeLoaders(db, finders);

  /** An unknown token costs a statement, but not each time; one with a wrong checksum costs none. */
  async function learn({ secret, digest, key, isSession }: Sought, guesses?: GuessesOf) {
    const refusal = known.refusal(key);
    if (refusal !== undefined) throw refusal;
    const guess = known.wasSeen(key) ? undefined : guesses?.();
    guess?.admit();
    const kind = kindOf(secret, guess);
    if ((kind === "ses") !== isSession) throw noToken();
    return known.learn(key, async () => {
      const hex = Buffer.from(digest, "base64").toString("hex");
      const found = await (kind === "job" || kind === "run"
        ? load[kind](secret)
        : load[isSession ? "session" : "token"](hex));
      if (found === undefined) guess?.note();
      return found;
    });
  }

  /** What is known of a secret and may be trusted, else what the database says of it. */
  function find(secret: string, isSession: boolean, guesses?: GuessesOf): Known | Promise<Known> {
    const nowMs = performance.now();
    const digest = hash("sha256", secret, "base64");
    const key = isSession ? `session ${digest}` : digest;
    const entry = known.get(key);
    const trust = isListening ? trustMs.listening : trustMs.deaf;
    if (entry !== undefined && nowMs - entry.loadedAtMs < trust && nowMs < entry.diesAtMs) {
      uses.note(entry, nowMs);
      return entry;
    }
    return learn({ secret, digest, key, isSession }, guesses).then((fresh) => {
      uses.note(fresh, nowMs);
      return fresh;
    });
  }

  return {
    identify: (authorization, org, guesses) =>
      after(find(bearerOf(authorization), false, guesses), (known) => actorFor(known, org)),
    identifySession: (secret, guesses) => after(find(secret, true, guesses), signedIn),
    forget: (ids) => known.forget(ids),
    forgetAll: () => known.forgetAll(),
    setListening(listens) {
      if (listens && !isListening) known.forgetAll(); // what was revoked while nobody listened is not known
      isListening = listens;
    },
    flush: () => uses.flush(),
    bytes: known.bytes,
  };
}

/** Not a promise, where none is needed: most callers are known. */
function after<T>(found: Known | Promise<Known>, act: (known: Known) => T): T | Promise<T> {
  return found instanceof Promise ? found.then(act) : act(found);
}

/** Look-ups that arrive together share a statement. */
function makeLoaders(db: Db, finders: Finders) {
  const load = (find: typeof listCredentials) =>
    makeBatcher(async (all: readonly string[]) => byDigest(await find(db, all), all), { max: 500 });
  return {
    token: load(loadCredentials),
    session: load(listSessionCredentials),
    job: makeBatcher(finders.job, { max: 500 }),
    run: makeBatcher(finders.run, { max: 500 }),
  };
}

type Sought = {
  readonly secret: string;
  readonly digest: string;
  /** Under which it is cached: the secret of a session is none of a token. */
  readonly key: string;
  readonly isSession: boolean;
};

const noToken = (): Error =>
  problem.unauthenticated(
    "The Authorization header does not contain an svc token.",
    "invalid_token",
  );

/** Gathers the uses of tokens and writes them down every 5 s, each token's at most once a minute. */
function createUses(db: Db): {
  note: (entry: Known, nowMs: number) => void;
  flush: () => Promise<void>;
} {
  const used = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<unknown> = Promise.resolve();
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const ids = [...used];
    used.clear();
    const written = ids.length > 0 ? markUse(db, ids) : Promise.resolve();
    underWay = Promise.allSettled([underWay, written]);
    await underWay;
    await written;
  };
  return {
    note(entry, nowMs) {
      if (nowMs - entry.usedAtMs < useEveryMs || !("digest" in entry.credential)) return;
      entry.usedAtMs = nowMs;
      used.add(entry.credential.id);
      // A use that could not be written is written with the next one; it is no reason to refuse anybody.
      timer ??= setTimeout(() => void flush().catch(() => {}), flushEveryMs).unref();
    },
    flush,
  };
}

/** Verifies the checksum before any look-up; a wrong one counts as a guess, too. */
function kindOf(secret: string, guess: Guesses | undefined): TokenKind {
  const token = parseToken(secret);
  if (token !== undefined) return token.kind;
  guess?.note();
  throw noToken();
}

async function loadCredentials(db: Db, digests: readonly string[]): Promise<CredentialRow[]> {
  const rows = await listCredentials(db, digests);
  const unused = rows.filter((row) => row.is_unused && row.kind !== "boot").map((row) => row.id);
  if (unused.length > 0) await markFirstUse(db, unused);
  return rows;
}

function byDigest(
  rows: readonly CredentialRow[],
  digests: readonly string[],
): (CredentialRow | undefined)[] {
  const found = new Map(rows.map((row) => [row.digest, row]));
  return digests.map((digest) => found.get(digest));
}

/** The org that the session shows may have been taken from its account; the token's own is left then. */
function signedIn(found: Known): SignedIn {
  const { credential } = found;
  if (!("digest" in credential) || credential.session === null) throw noToken();
  const { id: sessionId, user_agent_digest: userAgentDigest, shown_org_id } = credential.session;
  const isReached = actorOf(credential, shown_org_id) !== undefined;
  const actor = actorFor(found, isReached ? shown_org_id : undefined);
  return { actor, sessionId, userAgentDigest };
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
