import { Problem } from "../../../shared/problem.ts";
import type { Broker } from "../../broker.ts";
import type { AppContext } from "../../http/app-types.ts";
import { requestHeader } from "../../http/gate/request-header.ts";
import { trustProxies } from "../../http/gate/trusted-proxies.ts";
import { auditSession } from "../../sessions/audit-session.ts";
import { deleteSession } from "../../sessions/queries.ts";
import type { Browser } from "../../sessions/row.ts";
import { userAgentDigest } from "../../sessions/sign-in.ts";
import type { Actor } from "../../tokens/actor.ts";
import type { SignedIn } from "../../tokens/authenticator.ts";
import { sessionSecret } from "../cookies.ts";

/** Where a request of the dashboard comes from. */
export type Visitor = Browser & { readonly isHttps: boolean };
/** Whoever is signed in. */
export type Reader = Visitor & { readonly actor: Actor; readonly sessionId: string };

/** `stolen`: the session was another browser's, and has been ended. */
export type Absent = Visitor & { readonly absence: "none" | "over" | "stolen" };
export type FindReader = (c: AppContext) => Promise<Reader | Absent>;

/** Finds who is signed in, by the browser's cookie. */
export function makeFindReader(broker: Broker): FindReader {
  const findVisitor = makeFindVisitor(broker);
  return async (c) => {
    const visitor = findVisitor(c);
    const secret = sessionSecret(c, visitor);
    if (secret === undefined) return { ...visitor, absence: "none" };
    const guesses = () => broker.limitGuesses(c.env?.incoming);
    const found = await identify(broker, secret, guesses);
    if (found === undefined) return { ...visitor, absence: "over" };
    const { actor, sessionId } = found;
    if (found.userAgentDigest === userAgentDigest(visitor.userAgent).toString("hex"))
      return { ...visitor, actor, sessionId };
    await endSession(broker, sessionId);
    const { orgId, tokenId, accountId } = actor;
    const requestId = c.get("requestId");
    const act = { requestId, action: "useSession", outcome: "refused", status: 401 } as const;
    await auditSession(broker, visitor, { ...act, orgId, tokenId, accountId }).catch(() => {});
    broker.log.warn(
      { session_id: sessionId, org_id: actor.orgId, actor_id: actor.id, address: visitor.address },
      "a session was used by another browser than the one that signed in; it was ended",
    );
    return { ...visitor, absence: "stolen" };
  };
}

/** Ends a session, here at once and on every other broker within a second. */
export async function endSession(
  { db, authenticator }: Pick<Broker, "db" | "authenticator">,
  sessionId: string,
): Promise<void> {
  await deleteSession(db, sessionId);
  authenticator.forget([sessionId]);
}

/** Tells where a request comes from, through trusted proxies. */
export function makeFindVisitor({ config }: Pick<Broker, "config">): (c: AppContext) => Visitor {
  const findOrigin = trustProxies(config.trustedProxies);
  return (c) => {
    const { incoming } = c.env ?? {};
    const origin = incoming === undefined ? { address: "", isHttps: false } : findOrigin(incoming);
    return { ...origin, userAgent: requestHeader(c, "user-agent") ?? "" };
  };
}

/** A session that is over is nothing to tell a person as an error. */
async function identify(
  { authenticator }: Pick<Broker, "authenticator">,
  secret: string,
  guesses: Parameters<Broker["authenticator"]["identifySession"]>[1],
): Promise<SignedIn | undefined> {
  try {
    return await authenticator.identifySession(secret, guesses);
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return undefined;
    throw error;
  }
}
