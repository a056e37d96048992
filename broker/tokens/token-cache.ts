import { LRUCache } from "lru-cache";
import { problem } from "../../shared/problem.ts";
import { growingCache } from "../growing-cache.ts";
import type { Actor } from "./actor.ts";
import type { CredentialRow } from "./credential-queries.ts";

/** A token of one execution, as the jobs' tables have it. */
export type ExecutionCredential = { readonly actor: Actor; readonly expiresInMs: number };
type Credential = CredentialRow | ExecutionCredential;

/** A live token. */
export type Known = {
  readonly credential: Credential;
  readonly loadedAtMs: number;
  readonly diesAtMs: number;
  /** The caller it stands for, by org. */
  readonly actors: Map<string, Actor>;
  /** When its use was last noted. */
  usedAtMs: number;
};

/** The tokens that this broker has seen lately, by their digest: a secret is never a key, however it was sent. */
export type TokenCache = {
  readonly get: (digest: string) => Known | undefined;
  /** Why the token was refused a moment ago; it is not looked up again so soon. */
  readonly refusal: (digest: string) => Error | undefined;
  /** Loads a token and caches it, unless it was revoked in the meantime; 401 for an invalid one. */
  readonly learn: (digest: string, load: () => Promise<Credential | undefined>) => Promise<Known>;
  /** Drops these tokens, and all tokens of these accounts or executions. */
  readonly forget: (ids: readonly string[]) => void;
  readonly forgetAll: () => void;
  /** Whether it was a token when it was last looked up, even if that has to be done again. */
  readonly wasSeen: (digest: string) => boolean;
  readonly bytes: () => number;
};

export type TokenCacheLimits = {
  readonly mostBytes: number;
  /** How many are remembered to be tokens; those that need no look-up are bounded by their bytes. */
  readonly mostTokens: number;
  readonly oldestMs: number;
  readonly mostRefusals: number;
  readonly refusedForMs: number;
};

/** A row of the table and what is derived of it for one org, with the permissions, take less than this. */
const bytesOfOrg = 4 * 1024;
/** How many revocations are tracked while look-ups are in progress; beyond that, none of those look-ups is cached. */
const mostForgotten = 10_000;

/** Caches tokens and refusals within bounds; the least recently used one is dropped first. */
export function createTokenCache(bounds: TokenCacheLimits): TokenCache {
  const known = new LRUCache<string, Known>({
    maxSize: bounds.mostBytes,
    sizeCalculation: bytesOf,
    ttl: bounds.oldestMs,
  });
  const refusals = growingCache<string, string>(bounds.mostRefusals, {
    ttl: bounds.refusedForMs,
  });
  const seen = growingCache<string, true>(bounds.mostTokens);
  const forgets = watchForgets();

  return {
    get: (digest) => known.get(digest),
    refusal(digest) {
      const detail = refusals.get(digest);
      return detail === undefined ? undefined : refused(detail);
    },
    async learn(digest, load) {
      const lookUp = forgets.begin();
      try {
        const credential = await load();
        const detail = refusalOf(credential);
        known.delete(digest);
        if (credential === undefined || detail !== undefined) {
          seen.delete(digest);
          refusals.set(digest, detail ?? "");
          throw refused(detail ?? "");
        }
        seen.set(digest, true);
        const entry = toKnown(credential);
        if (!lookUp.isForgotten(idsOf(entry))) known.set(digest, entry);
        return entry;
      } finally {
        lookUp.end();
      }
    },
    forget(ids) {
      forgets.note(ids);
      const gone = new Set(ids);
      for (const [digest, entry] of known.entries()) {
        if (idsOf(entry).some((id) => gone.has(id))) known.delete(digest);
      }
    },
    forgetAll() {
      forgets.noteAll();
      known.clear();
      refusals.clear();
    },
    wasSeen: (digest) => seen.has(digest),
    bytes: () => known.calculatedSize,
  };
}

type LookUp = {
  readonly isForgotten: (ids: readonly string[]) => boolean;
  readonly end: () => void;
};

/** A row that was read before a revocation must not be cached after it, and must not stop others from being cached. */
function watchForgets(): {
  begin: () => LookUp;
  note: (ids: readonly string[]) => void;
  noteAll: () => void;
} {
  const forgottenAt = new Map<string, number>();
  let allForgottenAt = 0;
  let now = 0;
  let underWay = 0;
  const noteAll = (): void => {
    now += 1;
    allForgottenAt = now;
    forgottenAt.clear();
  };
  return {
    begin() {
      const begunAt = now;
      underWay += 1;
      return {
        isForgotten: (ids) =>
          allForgottenAt > begunAt || ids.some((id) => (forgottenAt.get(id) ?? 0) > begunAt),
        end() {
          underWay -= 1;
          if (underWay === 0) forgottenAt.clear();
        },
      };
    },
    note(ids) {
      if (underWay === 0) return;
      if (forgottenAt.size + ids.length > mostForgotten) return noteAll();
      now += 1;
      for (const id of ids) forgottenAt.set(id, now);
    },
    noteAll,
  };
}

/** An account's own token may act in each of its orgs. */
function bytesOf({ credential }: Known): number {
  const roles = "digest" in credential ? credential.account_roles : null;
  return bytesOfOrg * (1 + (roles === null ? 0 : Object.keys(roles).length));
}

function idsOf({ credential }: Known): string[] {
  const ids =
    "digest" in credential
      ? [credential.id, credential.account_id, credential.session?.id]
      : [credential.actor.executionId];
  return ids.filter((id) => id != null);
}

function livesMsOf(credential: Credential): number | null {
  return "digest" in credential ? credential.expires_in_ms : credential.expiresInMs;
}

function refusalOf(credential: Credential | undefined): string | undefined {
  if (credential === undefined) return "The token is unknown.";
  if ("digest" in credential && credential.is_revoked) return "The token was revoked.";
  const livesMs = livesMsOf(credential);
  return livesMs !== null && livesMs <= 0 ? "The token has expired." : undefined;
}

function toKnown(credential: Credential): Known {
  const livesMs = livesMsOf(credential);
  const loadedAtMs = performance.now();
  const diesAtMs = livesMs === null ? Infinity : loadedAtMs + livesMs;
  return { credential, loadedAtMs, diesAtMs, actors: new Map(), usedAtMs: -Infinity };
}

const refused = (detail: string): Error => problem.unauthenticated(detail, "invalid_token");
