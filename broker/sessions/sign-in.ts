import { hash } from "node:crypto";
import { problem } from "../../shared/problem.ts";
import { mintToken } from "../../shared/token.ts";
import type { Db } from "../database/connect.ts";
import { newId } from "../database/new-id.ts";
import type { Actor } from "../tokens/actor.ts";
import type { Authenticator } from "../tokens/authenticator.ts";
import { tokenDigest } from "../tokens/token-secret.ts";
import { findLink, type InsertedSession, insertSession, takeLink } from "./queries.ts";
import type { Browser } from "./row.ts";

/** The secret is for the browser alone, which keeps it in a cookie. */
export type NewSession = { readonly row: InsertedSession; readonly secret: string };
export type Signing = { readonly browser: Browser; readonly hours: number };

const linkMinutes = 15;
const longestUserAgent = 200;

/** Signs a browser in with a person's or a machine's token; 401 for no token, 403 for one that is bound to a runner. */
export async function signIn(
  { db, authenticator }: { readonly db: Db; readonly authenticator: Authenticator },
  token: { readonly secret: string; readonly guesses: Parameters<Authenticator["identify"]>[2] },
  signing: Signing,
): Promise<NewSession> {
  const actor = await authenticator.identify(`Bearer ${token.secret}`, undefined, token.guesses);
  return await makeSession(db, personOf(actor), signing);
}

/** Whom a link would sign in, and to which org; 401 when it was used before or is too old. */
export async function readLink(db: Db, secret: string): Promise<{ who: string; org: string }> {
  const found = await findLink(db, tokenDigest(secret));
  if (found === undefined) throw usedUp();
  return { who: found.token_name, org: found.org_name };
}

/** Signs a browser in once with a link that `createSignInLink` made; 401 when it was used before or is too old. */
export async function redeemLink(db: Db, secret: string, signing: Signing): Promise<NewSession> {
  const link = await takeLink(db, tokenDigest(secret));
  if (link === undefined) throw usedUp();
  return await makeSession(db, { tokenId: link.token_id, orgId: link.shown_org_id }, signing);
}

/** A link that signs in whoever first presses the button of its page, as the caller: valid for a quarter of an hour. */
export async function createSignInLink(db: Db, actor: Actor): Promise<NewSession> {
  const { tokenId, orgId } = personOf(actor);
  const secret = mintToken("ses");
  const row = await insertSession(db, tokenId, {
    id: newId("ses"),
    purpose: "link",
    digest: tokenDigest(secret),
    shown_org_id: orgId,
    user_agent_digest: null,
    user_agent: "",
    address: "",
    minutes: linkMinutes,
  });
  if (row === undefined) throw usedUp();
  return { row, secret };
}

/**
 * What is kept of a browser's own words about itself: a session is for the browser that signed in. Numbers are left out,
 * which change when the browser is updated.
 */
export function userAgentDigest(userAgent: string): Buffer {
  return hash("sha256", userAgent.replaceAll(/\d[\d._]*/g, "#"), "buffer");
}

type Person = { readonly tokenId: string; readonly orgId: string };

/** A session of this person, for the browser that asks. */
export async function makeSession(
  db: Db,
  person: Person,
  { browser, hours }: Signing,
): Promise<NewSession> {
  const secret = mintToken("ses");
  const row = await insertSession(db, person.tokenId, {
    id: newId("ses"),
    purpose: "session",
    digest: tokenDigest(secret),
    shown_org_id: person.orgId,
    user_agent_digest: userAgentDigest(browser.userAgent),
    user_agent: browser.userAgent.slice(0, longestUserAgent),
    address: browser.address,
    minutes: hours * 60,
  });
  if (row === undefined) throw usedUp();
  return { row, secret };
}

function personOf({ tokenId, orgId, kind }: Actor): Person {
  if (tokenId === null || (kind !== "pat" && kind !== "sa")) {
    const detail = `A token of kind ${kind} cannot sign in. Use your own token (pat), or one of a service account (sa).`;
    throw problem.forbidden("no_sign_in", detail);
  }
  return { tokenId, orgId };
}

const usedUp = (): Error =>
  problem.unauthenticated(
    "This link was used before, or it is older than a quarter of an hour. Ask for a new one: svc dashboard.",
    "invalid_token",
  );
