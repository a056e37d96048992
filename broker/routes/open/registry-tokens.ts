import {
  getRegistryKeysRoute,
  getRegistryTokenRoute,
} from "../../../shared/api/registry-tokens.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { basicLogin } from "../../http/gate/basic-login.ts";
import { requestHeader } from "../../http/gate/request-header.ts";
import { limitByAddress } from "../../http/limits/limit-by-address.ts";
import { anybody } from "../../limits/permits.ts";
import { issueRegistryToken } from "../../registry/issue-registry-token.ts";
import { listPublicKeys } from "../../registry/signing-keys.ts";

/** Builds that run side by side behind one address ask for a token for each repository, every five minutes. */
const perAddressPerS = 100;

/** GET /v1/registry/token, GET /v1/registry/keys */
export const giveRegistryTokens: RegisterRoutes = (app, broker) => {
  const { db, seals, config, authenticator } = broker;
  const take = limitByAddress(broker, perAddressPerS);
  app.handle(getRegistryTokenRoute, async ({ c, query }) => {
    take(c);
    setHeader(c, "cache-control", "no-store");
    const guessesOf = () => broker.limitGuesses(c.env?.incoming);
    const parts = {
      db,
      seals,
      registry: config.registry,
      identify: (token: string, org?: string) =>
        authenticator.identify(`Bearer ${token}`, org, guessesOf),
      guesses: guessesOf(),
    };
    const { service, scope = [] } = query;
    const login = basicLogin(requestHeader(c, "authorization"));
    const request = { login, service, scopes: [scope].flat() };
    return await broker.permits.run(anybody, () => issueRegistryToken(parts, request));
  });
  app.handle(getRegistryKeysRoute, async ({ c }) => {
    take(c);
    return await broker.permits.run(anybody, async () => {
      return { keys: await listPublicKeys({ db, seals }) };
    });
  });
};
