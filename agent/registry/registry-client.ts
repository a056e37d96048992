import { addressRules, type FindBlock } from "./address-rules.ts";
import type { Body, IsProxiedTo, RegistryAnswer } from "./exchange.ts";
import { hasLogin, logIn, type RegistryLogin } from "./log-in.ts";
import type { Reference } from "./reference.ts";
import { refusalOf } from "./refusal-of.ts";
import { RegistryFault } from "./registry-fault.ts";
import { nextAfter, type Patience, sendWithRetries } from "./send-with-retries.ts";

/** One call of a registry. */
export type RegistryCall = {
  /** GET by default. */
  readonly method?: "GET" | "HEAD" | "POST" | "PATCH" | "PUT";
  /** Below /v2/REPOSITORY/, or a whole URL that the registry gave for what follows. */
  readonly at: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
  readonly patience?: Patience;
};

/** A client for one repository of a registry, which authenticates as required. */
export type RegistryClient = {
  readonly origin: string;
  readonly repository: string;
  /**
   * The answer to a call, whatever its status; temporary failures are retried, and a 401 of the registry itself is
   * answered: of a host that it leads on to it is none of ours, as that would say who gets the credentials. Throws
   * RegistryFault, and LostConnection for a streamed body, which is not sent twice.
   */
  readonly ask: (call: RegistryCall) => Promise<RegistryAnswer>;
  /** The successful answer to a GET. Throws RegistryFault. */
  readonly get: (at: string, headers?: RegistryCall["headers"]) => Promise<RegistryAnswer>;
  /** Says why the registry did not do what it was asked, by its answer. */
  readonly refusal: (answer: RegistryAnswer) => Promise<RegistryFault>;
};

export type ClientOptions = {
  /** What is done there; `pull` by default. */
  readonly access?: "pull" | "push";
  /** Another repository of the same registry, from which blobs are mounted. */
  readonly mountsFrom?: string | undefined;
  /** Whether a proxy makes the connections: then no address counts. */
  readonly isProxied?: boolean;
  /** To which URLs it does, where addresses count all the same: as far as names can be resolved here. */
  readonly isProxiedTo?: IsProxiedTo;
  readonly findBlock?: FindBlock;
};

/** Makes a client for the repository of a reference: anonymous, basic or bearer, as the registry asks. */
export function makeRegistryClient(
  { origin, repository }: Pick<Reference, "origin" | "repository">,
  login: RegistryLogin,
  options: ClientOptions = {},
): RegistryClient {
  const ask = makeAsker({ origin, repository }, login, options);
  const refusal = async (answer: RegistryAnswer): Promise<RegistryFault> =>
    await refusalOf(answer, hasLogin(login));
  return {
    origin,
    repository,
    ask,
    refusal,
    get: async (at, headers = {}) => {
      const answer = await ask({ at, headers });
      if (answer.status === 200 || answer.status === 206) return answer;
      throw await refusal(answer);
    },
  };
}

function makeAsker(
  { origin, repository }: Pick<Reference, "origin" | "repository">,
  login: RegistryLogin,
  { access = "pull", mountsFrom, isProxied = false, isProxiedTo, findBlock }: ClientOptions,
): RegistryClient["ask"] {
  const rules = addressRules(isProxied, findBlock);
  const scopes = scopesOf(repository, access, mountsFrom);
  const own = new URL(origin).origin;
  let led = rules.always;
  const logInAgain = async (answer: RegistryAnswer): Promise<string> => {
    const guards = { guard: led, guardAfter: rules.after, isProxiedTo };
    const asking = { origin, login, guards };
    try {
      return await logIn(answer, { ...asking, scopes });
    } catch (error) {
      // Who may not pull over there may still push here, without mounts.
      const isRefused = error instanceof RegistryFault && error.class === "auth";
      if (!isRefused || mountsFrom === undefined) throw error;
      return await logIn(answer, { ...asking, scopes: scopes.slice(0, 1) });
    }
  };
  const session = makeSession(login.token ? `Bearer ${login.token}` : undefined, logInAgain);

  const send = async ({ method = "GET", at, headers, body, patience }: RegistryCall) => {
    const url = /^https?:\/\//.test(at) ? new URL(at) : new URL(`${origin}/v2/${repository}/${at}`);
    const isOwn = url.origin === own;
    const authorization = isOwn ? session.header() : undefined;
    const answer = await sendWithRetries({
      method,
      url: url.href,
      headers: { ...headers, ...(authorization !== undefined && { authorization }) },
      body,
      patience,
      guard: isOwn ? rules.always : led,
      guardAfter: rules.after,
      isProxiedTo,
    });
    if (isOwn && answer.url.origin === url.origin) led = rules.after(answer.address);
    return answer;
  };

  return async (call) => {
    const used = session.header();
    const answer = await send(call);
    if (answer.status !== 401 || answer.url.origin !== own) return answer;
    answer.body.destroy();
    await session.renew(answer, used);
    const isStream = call.body !== undefined && !(call.body instanceof Uint8Array);
    return isStream ? answer : await send(call);
  };
}

function scopesOf(repository: string, access: "pull" | "push", mountsFrom: string | undefined) {
  const own = `repository:${repository}:${access === "push" ? "pull,push" : "pull"}`;
  return mountsFrom === undefined ? [own] : [own, `repository:${mountsFrom}:pull`];
}

/** The Authorization header of a client. Calls that run side by side log in together. */
function makeSession(
  first: string | undefined,
  logInAgain: (answer: RegistryAnswer) => Promise<string>,
) {
  let header = first;
  let renewing: Promise<void> | undefined;
  return {
    header: () => header,
    /** Logs in, unless somebody has done so since the header was used that the registry refused. */
    renew: async (answer: RegistryAnswer, used: string | undefined): Promise<void> => {
      if (header !== used) return;
      renewing ??= logInAgain(answer)
        .then((told) => void (header = told))
        .finally(() => (renewing = undefined));
      await renewing;
    },
  };
}

/** The whole URL of the next step, which an answer names. Throws RegistryFault when it must not be gone to. */
export function nextStep({ headers, url }: RegistryAnswer): string | undefined {
  return headers.location === undefined ? undefined : nextAfter(url, headers.location).href;
}

/** The whole URL of the next page of a list; undefined after the last one. Throws RegistryFault like `nextStep`. */
export function nextPage({ headers, url }: RegistryAnswer): string | undefined {
  const link = /<([^>]+)>\s*;[^,]*rel="?next"?/.exec(String(headers["link"] ?? ""))?.[1];
  return link === undefined ? undefined : nextAfter(url, link).href;
}
