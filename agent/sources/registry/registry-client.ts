import { SourceFault } from "../source-failure.ts";
import type { SourceLogin } from "../source.ts";
import { type Challenge, readChallenge } from "./challenge.ts";
import { getWithRetries } from "./get-with-retries.ts";
import { readToken } from "./read-token.ts";
import type { Reference } from "./reference.ts";

/** A client for one repository of a registry, which authenticates as required. */
export type RegistryClient = {
  /** The successful answer to a GET below /v2/REPOSITORY/. Throws SourceFault. */
  readonly get: (at: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>;
};
type Answer = { readonly headers: Headers; readonly body: AsyncIterable<Uint8Array> };

/** Makes a client for the repository of a reference: anonymous, basic or bearer, as the registry asks. */
export function makeRegistryClient(
  { origin, repository }: Pick<Reference, "origin" | "repository">,
  login: SourceLogin,
): RegistryClient {
  let authorization = login.token ? `Bearer ${login.token}` : undefined;

  const ask = async (url: string, headers: Record<string, string>): Promise<Response> =>
    await getWithRetries(
      url,
      authorization === undefined ? headers : { ...headers, authorization },
    );

  return {
    get: async (at, headers = {}) => {
      const url = `${origin}/v2/${repository}/${at}`;
      let response = await ask(url, headers);
      if (response.status === 401) {
        const challenge = readChallenge(response.headers.get("www-authenticate"));
        await response.body?.cancel();
        authorization = await answerTo(challenge, { origin, repository, login });
        response = await ask(url, headers);
      }
      const { headers: told, body } = response;
      if (response.ok && body !== null) return { headers: told, body };
      throw await refusalOf(response, hasLogin(login));
    },
  };
}

const tokenPatience = { silentMs: 60_000, altogetherMs: 60_000 };

type Asked = { readonly origin: string; readonly repository: string; readonly login: SourceLogin };

const hasLogin = ({ username, password, token }: SourceLogin): boolean =>
  Boolean(username || password || token);

/** The Authorization header for a registry's challenge. */
async function answerTo(challenge: Challenge | undefined, asked: Asked): Promise<string> {
  const { login } = asked;
  if (challenge === undefined)
    throw new SourceFault("auth", "the registry answered 401 without saying how to log in");
  const basic = basicOf(login);
  if (challenge.scheme === "basic") {
    if (basic === undefined) throw needsLogin();
    return basic;
  }
  const realm = URL.canParse(challenge.realm) ? new URL(challenge.realm) : undefined;
  // Without TLS credentials are sent only to the registry itself, not to another token server.
  const isSafe = realm?.protocol === "https:" || realm?.origin === new URL(asked.origin).origin;
  if (realm === undefined || !isSafe) {
    throw new SourceFault("auth", "the registry's token server is missing or has no TLS");
  }
  if (challenge.service !== "") realm.searchParams.set("service", challenge.service);
  realm.searchParams.set("scope", challenge.scope || `repository:${asked.repository}:pull`);
  if (login.username) realm.searchParams.set("account", login.username);
  const told: Record<string, string> = basic === undefined ? {} : { authorization: basic };
  const response = await getWithRetries(realm.href, told, tokenPatience);
  if (!response.ok) throw await refusalOf(response, hasLogin(login));
  const token = await readToken(response);
  if (token !== undefined) return `Bearer ${token}`;
  throw new SourceFault("auth", "the registry's token server returned no token");
}

function basicOf({ username, password }: SourceLogin): string | undefined {
  if (!username && !password) return undefined;
  return `Basic ${Buffer.from(`${username ?? ""}:${password ?? ""}`).toString("base64")}`;
}

function needsLogin(): SourceFault {
  return new SourceFault("auth", "the registry requires a login, but the plan has no credentials");
}

async function refusalOf(response: Response, isKnown: boolean): Promise<SourceFault> {
  await response.body?.cancel();
  const { status } = response;
  if (status === 401 && !isKnown) return needsLogin();
  if (status === 401 || status === 403) {
    return new SourceFault("auth", `the registry refused the credentials (${status})`);
  }
  if (status === 404) return new SourceFault("not_found", "the registry does not have it (404)");
  return new SourceFault("network", `the registry answered ${status}`);
}
