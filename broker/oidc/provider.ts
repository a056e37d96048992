import * as client from "openid-client";
import type { Log } from "../log.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { isLoopback, type OidcConfig } from "./oidc-settings.ts";
import { SignInFault } from "./sign-in-fault.ts";

/** Whom the provider vouches for: its own name for the person is all that is kept. */
export type Person = { readonly issuer: string; readonly subject: string };

/** What the browser keeps while the person is at the provider. */
export type BegunSignIn = {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
};

/** The provider that people sign in with. */
export type Provider = {
  readonly name: string;
  /** Where to send the browser, and what it has to keep. */
  readonly begin: () => Promise<{ readonly to: URL; readonly begun: BegunSignIn }>;
  /** Who came back with this query; a SignInFault when it is nobody. */
  readonly finish: (query: string, begun: BegunSignIn) => Promise<Person>;
};

const timeoutS = 5;
const knownForMs = 60 * 60_000;
const mostAtOnce = 64;
const clockToleranceS = 60;

/** Signs people in by the authorization code flow with PKCE. It asks the provider nothing before somebody signs in. */
export function makeProvider(config: OidcConfig, log: Log): Provider {
  const discover = makeDiscovery(config);
  let underWay = 0;

  /** What the provider is asked takes a while: so many may wait for it, no more. */
  async function ask<T>(act: (found: client.Configuration) => Promise<T>): Promise<T> {
    if (underWay >= mostAtOnce) throw new SignInFault("busy");
    underWay += 1;
    try {
      return await act(await discover());
    } catch (error) {
      const fault = faultOf(error);
      // The cause is left out: it may hold what the provider answered.
      log.warn(
        { issuer: config.issuer.href, fault: fault.kind, ...fault.facts },
        "a sign-in failed",
      );
      throw fault;
    } finally {
      underWay -= 1;
    }
  }

  return {
    name: config.name,
    begin: () =>
      ask(async (found) => {
        const begun = {
          state: client.randomState(),
          nonce: client.randomNonce(),
          verifier: client.randomPKCECodeVerifier(),
        };
        const to = client.buildAuthorizationUrl(found, {
          redirect_uri: config.redirectUrl,
          scope: config.scope,
          state: begun.state,
          nonce: begun.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(begun.verifier),
          code_challenge_method: "S256",
        });
        return { to, begun };
      }),
    finish: (query, { state, nonce, verifier }) =>
      ask(async (found) => {
        const tokens = await client.authorizationCodeGrant(
          found,
          new URL(config.redirectUrl + query),
          {
            expectedState: state,
            expectedNonce: nonce,
            pkceCodeVerifier: verifier,
            idTokenExpected: true,
          },
        );
        const claims = tokens.claims();
        if (claims === undefined) throw new SignInFault("refused");
        return { issuer: claims.iss, subject: claims.sub };
      }),
  };
}

/** Asks the provider for its endpoints once an hour; those who come meanwhile wait for the same answer. */
function makeDiscovery(config: OidcConfig): () => Promise<client.Configuration> {
  let found: Promise<client.Configuration> | undefined;
  let foundAtMs = 0;
  return async () => {
    if (found === undefined || performance.now() - foundAtMs > knownForMs) {
      foundAtMs = performance.now();
      found = discover(config);
      found.catch(() => (found = undefined));
    }
    return await found;
  };
}

async function discover({
  issuer,
  clientId,
  readSecret,
}: OidcConfig): Promise<client.Configuration> {
  const secret = readSecret();
  const options: client.DiscoveryRequestOptions = {
    timeout: timeoutS,
    [client.customFetch]: boundedFetch,
    execute: [
      client.enableNonRepudiationChecks, // the ID token's signature, too
      ...(isLoopback(issuer.hostname) ? [client.allowInsecureRequests] : []),
    ],
  };
  const metadata = { [client.clockTolerance]: clockToleranceS };
  const first = await client.discovery(issuer, clientId, metadata, client.None(), options);
  if (secret === undefined) return first;
  const known = first.serverMetadata();
  const methods = known.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const proof = methods.includes("client_secret_basic")
    ? client.ClientSecretBasic(secret)
    : client.ClientSecretPost(secret);
  const whole = new client.Configuration(known, clientId, metadata, proof);
  whole.timeout = timeoutS;
  whole[client.customFetch] = boundedFetch;
  for (const enable of options.execute ?? []) enable(whole);
  return whole;
}

function faultOf(error: unknown): SignInFault {
  if (error instanceof SignInFault) return error;
  if (error instanceof client.AuthorizationResponseError) {
    const facts = { error: error.error.slice(0, 100) };
    return new SignInFault(error.error === "access_denied" ? "denied" : "refused", facts);
  }
  if (error instanceof client.ResponseBodyError)
    return new SignInFault("refused", { error: error.error.slice(0, 100), status: error.status });
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const isReached = code.startsWith("OAUTH_") && code !== "OAUTH_TIMEOUT";
  return new SignInFault(isReached ? "refused" : "unreachable", { code: code || nameOf(error) });
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);
