import { type Challenge, readChallenge } from "./challenge.ts";
import type { RegistryAnswer } from "./exchange.ts";
import { readToken } from "./read-token.ts";
import { needsLogin, refusalOf } from "./refusal-of.ts";
import { RegistryFault } from "./registry-fault.ts";
import { type Sent, sendWithRetries } from "./send-with-retries.ts";

/** The credentials for a registry; without any it is asked as nobody. */
export type RegistryLogin = {
  readonly username?: string | null | undefined;
  readonly password?: string | null | undefined;
  /** A token that the registry takes as it is. */
  readonly token?: string | null | undefined;
  /** A token that its token server takes in exchange for others. */
  readonly refreshToken?: string | null | undefined;
  /** The origin of a token server that may be told the password without TLS: the agent's own broker. */
  readonly tokenServer?: string | null | undefined;
};

/** Who asks, and for what. */
export type Asking = {
  readonly origin: string;
  readonly login: RegistryLogin;
  /** `repository:acme/app:pull,push` */
  readonly scopes: readonly string[];
  readonly guards: Pick<Sent, "guard" | "guardAfter" | "isProxiedTo">;
};

const patience = { silentMs: 60_000, altogetherMs: 60_000 };

/** Whether anybody is named. */
export const hasLogin = ({ username, password, token, refreshToken }: RegistryLogin): boolean =>
  Boolean(username || password || token || refreshToken);

/** The Authorization header for a registry that answered 401. Throws RegistryFault. */
export async function logIn(answer: RegistryAnswer, asking: Asking): Promise<string> {
  const challenge = readChallenge(answer.headers["www-authenticate"] ?? null);
  const { login } = asking;
  if (challenge === undefined)
    throw new RegistryFault("auth", "the registry answered 401 without saying how to log in");
  const basic = basicOf(login);
  if (challenge.scheme === "basic") {
    if (basic === undefined) throw needsLogin();
    return basic;
  }
  const realm = URL.canParse(challenge.realm) ? new URL(challenge.realm) : undefined;
  // Without TLS credentials are sent only to the registry itself and to the agent's broker, not to another token server.
  const isSafe = realm !== undefined && isSafeRealm(realm, new URL(asking.origin), login);
  if (realm === undefined || !isSafe) {
    throw new RegistryFault("auth", "the registry's token server is missing or has no TLS");
  }
  const token = await sendWithRetries({
    ...(login.refreshToken
      ? exchangeOf(realm, challenge, asking, login.refreshToken)
      : questionOf(realm, challenge, asking)),
    patience,
    ...asking.guards,
  });
  if (token.status !== 200) throw await refusalOf(token, hasLogin(login));
  const found = await readToken(token.body);
  if (found !== undefined) return `Bearer ${found}`;
  throw new RegistryFault("auth", "the registry's token server returned no token");
}

const isSafeRealm = (realm: URL, registry: URL, { tokenServer }: RegistryLogin): boolean =>
  realm.protocol === "https:" || realm.origin === registry.origin || realm.origin === tokenServer;

/** Asks for a token with a password, or as nobody. */
function questionOf(realm: URL, challenge: Challenge, asking: Asking): Sent {
  const { login } = asking;
  const basic = basicOf(login);
  if (challenge.service !== "") realm.searchParams.set("service", challenge.service);
  for (const scope of scopesFor(challenge, asking)) realm.searchParams.append("scope", scope);
  if (login.username) realm.searchParams.set("account", login.username);
  const headers: Record<string, string> = basic === undefined ? {} : { authorization: basic };
  return { method: "GET", url: realm.href, headers };
}

/** Asks for a token in exchange for another one, as OAuth has it. */
function exchangeOf(realm: URL, challenge: Challenge, asking: Asking, token: string): Sent {
  const form = new URLSearchParams({
    grant_type: "refresh_token",
    service: challenge.service || new URL(asking.origin).host,
    scope: scopesFor(challenge, asking).join(" "),
    refresh_token: token,
  });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return { method: "POST", url: realm.href, headers, body: Buffer.from(form.toString()) };
}

/** What is wanted, and what the registry names besides, of which there may be kinds of its own. */
function scopesFor({ scope }: Challenge, { scopes }: Asking): string[] {
  const wanted = new Set(scopes.map(placeOf));
  const others = scope.split(" ").filter((one) => one !== "" && !wanted.has(placeOf(one)));
  return [...scopes, ...others];
}

/** `repository:acme/app`, without what is done there. */
const placeOf = (scope: string): string => scope.replace(/:[^:]*$/, "");

function basicOf({ username, password }: RegistryLogin): string | undefined {
  if (!username && !password) return undefined;
  return `Basic ${Buffer.from(`${username ?? ""}:${password ?? ""}`).toString("base64")}`;
}
