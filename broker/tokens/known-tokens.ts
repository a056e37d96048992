import { problem } from "../../shared/problem.ts";
import type { Actor } from "./actor.ts";
import type { CredentialRow } from "./credential-queries.ts";

/** A token of one execution, as the jobs' own tables know it. */
export type ExecutionCredential = { readonly actor: Actor; readonly expiresInMs: number };
type Credential = CredentialRow | ExecutionCredential;

/** A live token. */
export type Known = {
  readonly credential: Credential;
  readonly loadedAtMs: number;
  readonly diesAtMs: number;
  /** Who it speaks for, by org. */
  readonly actors: Map<string, Actor>;
  /** When its use was last noted. */
  usedAtMs: number;
};

/** The tokens that this broker has seen lately. */
export type KnownTokens = {
  readonly get: (key: string) => Known | undefined;
  /** Loads a token and remembers it, unless it was told to be forgotten meanwhile; 401 for one that is dead. */
  readonly learn: (key: string, load: () => Promise<Credential | undefined>) => Promise<Known>;
  /** Drops these tokens, and all tokens of these accounts or executions. */
  readonly forget: (ids: readonly string[]) => void;
  readonly forgetAll: () => void;
};

/** Remembers up to `most` tokens; the one learnt first goes first. */
export function createKnownTokens(most: number): KnownTokens {
  const known = new Map<string, Known>();
  // A row that was read before a revocation must not be remembered after it.
  const forgottenMeanwhile = new Set<string>();
  let isAllForgotten = false;
  let learning = 0;

  const isForgotten = (entry: Known): boolean =>
    isAllForgotten || idsOf(entry).some((id) => forgottenMeanwhile.has(id));

  return {
    get: (key) => known.get(key),
    async learn(key, load) {
      learning += 1;
      try {
        const entry = toKnown(await load());
        known.delete(key);
        if (!isForgotten(entry)) known.set(key, entry);
        const [oldest] = known.keys();
        if (known.size > most && oldest !== undefined) known.delete(oldest);
        return entry;
      } finally {
        learning -= 1;
        if (learning === 0) {
          forgottenMeanwhile.clear();
          isAllForgotten = false;
        }
      }
    },
    forget(ids) {
      const gone = new Set(ids);
      if (learning > 0) for (const id of ids) forgottenMeanwhile.add(id);
      for (const [key, entry] of known) {
        if (idsOf(entry).some((id) => gone.has(id))) known.delete(key);
      }
    },
    forgetAll() {
      if (learning > 0) isAllForgotten = true;
      known.clear();
    },
  };
}

function idsOf({ credential }: Known): string[] {
  const ids =
    "digest" in credential
      ? [credential.id, credential.account_id]
      : [credential.actor.executionId];
  return ids.filter((id) => id !== null);
}

function toKnown(credential: Credential | undefined): Known {
  if (credential === undefined) throw refused("The token is not known.");
  if ("digest" in credential && credential.is_revoked) throw refused("The token was revoked.");
  const livesMs = "digest" in credential ? credential.expires_in_ms : credential.expiresInMs;
  if (livesMs !== null && livesMs <= 0) throw refused("The token has expired.");
  const loadedAtMs = performance.now();
  const diesAtMs = livesMs === null ? Infinity : loadedAtMs + livesMs;
  return { credential, loadedAtMs, diesAtMs, actors: new Map(), usedAtMs: -Infinity };
}

const refused = (detail: string): Error => problem.unauthenticated(detail, "invalid_token");
