import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Adapter, type AdapterPayload, Provider } from "oidc-provider";
import { afterFile } from "../run/after-file.ts";

/** A real OpenID Connect provider, which lets in whoever types a name. */
export type GivenProvider = {
  readonly issuer: string;
  readonly clientId: string;
  readonly secret: string;
  /** Registers the broker's redirect URI. */
  readonly register: (redirectUrl: string) => void;
};

const secret = "the-client's-own-secret-of-these-tests";
const day = 86_400;

/** Starts one on a free port; it is stopped after the file. */
export async function givenProvider(): Promise<GivenProvider> {
  let answer: http.RequestListener = (_, response) => void response.writeHead(503).end();
  const server = http.createServer((request, response) => answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  afterFile(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return {
    issuer,
    clientId: "svc",
    secret,
    register: (redirectUrl) => (answer = answersOf(makeProvider(issuer, redirectUrl))),
  };
}

function makeProvider(issuer: string, redirectUrl: string): Provider {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return new Provider(issuer, {
    adapter: inMemory(),
    clients: [{ client_id: "svc", client_secret: secret, redirect_uris: [redirectUrl] }],
    cookies: { keys: ["a key of these tests"] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256" }] },
    /** Nobody is asked whether the broker may know who they are. */
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? "",
        accountId: oidc.session?.accountId ?? "",
      });
      grant.addOIDCScope("openid");
      await grant.save();
      return grant;
    },
    pkce: { required: () => true },
    ttl: { AccessToken: day, Grant: day, IdToken: day, Interaction: day, Session: day },
  });
}

/** The provider's answers, and the one page of its own: it asks for a name. */
function answersOf(provider: Provider): http.RequestListener {
  const others = provider.callback();
  return (request, response) => {
    if (!(request.url ?? "").startsWith("/interaction/")) {
      void others(request, response);
    } else if (request.method === "GET") {
      response.setHeader("content-type", "text/html");
      response.end(namePage);
    } else {
      void text(request).then(async (body) => {
        const accountId = new URLSearchParams(body).get("login") ?? "";
        await provider.interactionFinished(request, response, { login: { accountId } });
      });
    }
  };
}

const namePage =
  '<link rel="icon" href="data:,"><form method="post"><label>Name <input name="login"></label><button>Go in</button></form>';

/** Where the provider keeps its things: in this process. */
function inMemory(): (model: string) => Adapter {
  const kept = new Map<string, AdapterPayload>();
  return (model) => {
    const findBy = async (is: (payload: AdapterPayload) => boolean) =>
      await Promise.resolve([...kept.values()].find(is));
    return {
      upsert: async (id, payload) =>
        await Promise.resolve(void kept.set(`${model} ${id}`, payload)),
      find: async (id) => await Promise.resolve(kept.get(`${model} ${id}`)),
      findByUid: async (uid) => await findBy((payload) => payload.uid === uid),
      findByUserCode: async (code) => await findBy((payload) => payload.userCode === code),
      consume: async (id) => {
        const payload = await Promise.resolve(kept.get(`${model} ${id}`));
        if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000);
      },
      destroy: async (id) => await Promise.resolve(void kept.delete(`${model} ${id}`)),
      revokeByGrantId: async (grantId) => {
        for (const [key, payload] of kept) if (payload.grantId === grantId) kept.delete(key);
        await Promise.resolve();
      },
    };
  };
}
